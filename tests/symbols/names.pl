#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: names.pl list TRACE
#        names.pl compare TRACE SMTOOL.json
# TRACE is a kernel's own text of stacks with the option sym-addr: " => name+0x1/0x2 [module] <ADDRESS>".
# `list` prints each address once; `compare` prints where smtool symbolize --json calls one something
# else, and last "SAME of ALL".
use strict;
use warnings;
no warnings 'portable';

my ($what, $trace, $mine) = @ARGV;
my (%theirs, @order);
open my $in, '<', $trace or die;
while (<$in>) {
	next unless /^ => (\S+(?: \[\S+\])?) <([0-9a-f]+)>$/;
	my ($name, $addr) = ($1, hex $2);
	push @order, $addr unless exists $theirs{$addr};
	$theirs{$addr} = $name;
}
if ($what eq 'list') {
	printf "0x%x\n", $_ for @order;
	exit;
}
my %ours;
open my $json, '<', $mine or die;
my $text = do { local $/; <$json> };
while ($text =~ /"ip":\s*"0x([0-9a-f]+)",\s*"symbol":\s*(?:"(.*?)",\s*"offset":\s*(\d+),\s*"size":\s*(\d+|null),\s*"module":\s*(?:"(.*?)"|null)|null)/g) {
	my ($ip, $name, $offset, $size, $module) = (hex $1, $2, $3, $4, $5);
	$ours{$ip} = defined $name
		? sprintf('%s+0x%x/0x%x%s', $name, $offset, $size, defined $module ? " [$module]" : '')
		: sprintf('0x%x', $ip);
}
my $same = 0;
for my $ip (@order) {
	my $name = $ours{$ip} // 'nothing';
	if ($name eq $theirs{$ip}) {
		$same++;
	} else {
		printf "0x%x\n  smtool: %s\n  kernel: %s\n", $ip, $name, $theirs{$ip};
	}
}
printf "%d of %d\n", $same, scalar @order;
