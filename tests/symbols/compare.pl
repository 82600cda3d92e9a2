#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: compare.pl SMTOOL.json eu:FILE gnu:FILE...
# Compares the inline chains of smtool symbolize --json with those that other tools gave, address by
# address: function, file and line of each level. The first FILE is what eu-addr2line -fia printed, the
# others what addr2line and llvm-symbolizer --output-style=GNU did (-fia). A path of smtool is relative to
# the source tree and has to be the end of the other's. Where eu-addr2line differs, it is one of:
#
#   assembly   a file of assembly has several symbols for a place; smtool takes the kernel's choice
#   no name    it found the line but no function (the code has no DIE, or is padding): smtool takes the
#              symbol
#   uncovered  no function and no line table has the place (nops before a function's first instruction):
#              eu-addr2line takes what is before, llvm-symbolizer, the last FILE, no line either
#   alone      another tool agrees with smtool: known are a chain that ends at a function that was
#              inlined twice, and a file number that is one off
#
# Prints what is none of these, and last how many there were of each kind; status 1 where any is left.
use strict;
use warnings;
no warnings 'portable';

my ($mine, @references) = @ARGV;

sub tidy {
	my ($path) = @_;
	return '' if $path eq '??';
	1 while $path =~ s{/\./}{/} || $path =~ s{//}{/} || $path =~ s{(^|/)(?!\.\./)[^/]+/\.\./}{$1};
	return $path;
}

my @order;

sub read_reference {
	my ($form, $path) = split /:/, $_[0], 2;
	my (%chains, $addr);
	@order = ();
	open my $in, '<', $path or die;
	while (my $line = <$in>) {
		chomp $line;
		if ($line =~ /^0x([0-9a-f]+)$/) {
			$addr = hex $1;
			push @order, $addr;
			$chains{$addr} = [];
			next;
		}
		next if $line eq '';
		$line =~ s/ inlined at .*// if $form eq 'eu';
		my $place = <$in> // die "'$path' ends early";
		chomp $place;
		$place =~ s/ \(discriminator \d+\)$//;
		my ($file, $number) = $place =~ /^(.*?):(\d+|\?)(?::\d+)?$/ or die "'$place'";
		push @{$chains{$addr}},
			[$line eq '??' ? '' : $line, tidy($file), $number eq '?' ? 0 : $number];
	}
	return \%chains;
}

my %ours;
open my $json, '<', $mine or die;
my $text = do { local $/; <$json> };
while ($text =~ /"ip":\s*"0x([0-9a-f]+)"(.*?)"lines":\s*\[(.*?)\]/gs) {
	my ($ip, $lines) = (hex $1, $3);
	$ours{$ip} = [];
	while ($lines =~ /"function":\s*(?:"(.*?)"|null),\s*"file":\s*(?:"(.*?)"|null),\s*"line":\s*(\d+|null)/g) {
		push @{$ours{$ip}}, [$1 // '', $2 // '', $3 eq 'null' ? 0 : $3];
	}
}

sub show { return join ' < ', map { ($_->[0] || '?') . ' ' . ($_->[1] || '?') . ":$_->[2]" } @_ }

sub same {
	my ($x, $y) = @_;
	return 0 if @$x != @$y;
	for my $i (0 .. $#$x) {
		my ($function, $file, $line) = @{$x->[$i]};
		my ($function2, $file2, $line2) = @{$y->[$i]};
		return 0 if $function ne $function2 || $line != $line2;
		return 0 if $file ne $file2 && substr("/$file2", -length("/$file")) ne "/$file";
	}
	return 1;
}

# Nothing at all is one line of nothing.
sub agrees {
	my ($ours, $theirs) = @_;
	return 1 if !@$ours && @$theirs == 1 && !$theirs->[0][1] && !$theirs->[0][2];
	return same($ours, $theirs);
}

sub with_name {
	my ($name, @chain) = @_;
	my @last = @{$chain[-1]};
	return [@chain[0 .. $#chain - 1], [$name, @last[1, 2]]];
}

my @tools = map { read_reference($_) } @references;
my %kinds;
for my $ip (@order) {
	my ($theirs, $ours) = ($tools[0]{$ip}, $ours{$ip});
	my $kind = 'left';
	if ($ours && agrees($ours, $theirs)) {
		$kind = 'same';
	} elsif ($ours && @$ours) {
		my $renamed = with_name($theirs->[-1][0], @$ours);
		if (same($renamed, $theirs) && $ours->[-1][1] =~ m{\.S$|/GEN-for-each-reg\.h$}) {
			$kind = 'assembly';
		} elsif (same($renamed, $theirs) && $theirs->[-1][0] eq '') {
			$kind = 'no name';
		} elsif (grep { agrees($ours, $_->{$ip} // []) } @tools[1 .. $#tools]) {
			$kind = 'alone';
		}
	} elsif ($ours && !grep { $_->[2] } @{$tools[-1]{$ip} // []}) {
		$kind = 'uncovered';
	}
	$kinds{$kind}++;
	next if $kind ne 'left';
	printf "0x%x\n  smtool: %s\n", $ip, $ours ? show(@$ours) : 'no answer';
	printf "  %s: %s\n", $references[$_] =~ s{:.*}{}r, show(@{$tools[$_]{$ip} // []}) for 0 .. $#tools;
}
print join(', ', map { "$kinds{$_} $_" } sort keys %kinds), " of ", scalar @order, "\n";
exit($kinds{left} ? 1 : 0);
