#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: pick.pl VMLINUX RANDOM CHOSEN
# Prints addresses of a linked kernel to look up, one a line, each once: RANDOM return addresses less
# one, and CHOSEN of the kinds that go wrong: parts of functions that lie elsewhere (.cold), .init.text,
# functions with several names, calls that are the last instruction, functions of assembly. The same file
# gives the same addresses. x86-64 and arm64; reads ELF and symbols with readelf, so that nothing here
# depends on what is tested.
use strict;
use warnings;
no warnings 'portable';

my ($file, $random, $chosen) = @ARGV;
my (%sections, @text, %starts, %names, $machine);

open my $headers, '-|', 'readelf', '-hSW', $file or die;
while (<$headers>) {
	$machine = $1 if /Machine:\s+(.*\S)/;
	next unless /^\s*\[\s*(\d+)\]\s+(\S+)\s+PROGBITS\s+([0-9a-f]+)\s+([0-9a-f]+)\s+([0-9a-f]+)\s.*AX/;
	$sections{$1} = $2;
	push @text, [$2, hex $3, hex $4, hex $5];
}
open my $symbols, '-|', 'readelf', '-sW', $file or die;
while (<$symbols>) {
	next unless /^\s*\d+:\s+([0-9a-f]+)\s+(\w+)\s+(FUNC|NOTYPE)\s+\w+\s+\w+\s+(\d+)\s+(\S+)/;
	my ($addr, $size, $kind, $section, $name) = (hex $1, $2, $3, $4, $5);
	next unless $sections{$section} && $name !~ /^(\$|\.L|__pfx_|__cfi_)/;
	$size = $size =~ /^0x/ ? hex $size : $size;
	$starts{$addr} = 1 if $kind eq 'FUNC';
	push @{$names{$addr}}, [$name, $size, $sections{$section}, $kind];
}

# A generator of our own, the same everywhere.
my $seed = 42;
sub pick { $seed = ($seed * 1103515245 + 12345) % 2147483648; return int($seed / 65536) % 32768 }
sub some {
	my ($n, @list) = @_;
	for (my $i = 0; $i < @list && $i < $n; $i++) {
		my $k = $i + (pick() * 32768 + pick()) % (@list - $i);
		@list[$i, $k] = @list[$k, $i];
	}
	return splice(@list, 0, $n);
}

my (@returns, @last);
open my $in, '<:raw', $file or die;
for (@text) {
	my ($name, $addr, $offset, $size) = @$_;
	next if $name !~ /^\.(text|init\.text|noinstr\.text|sched\.text)$/;
	seek $in, $offset, 0;
	my $bytes;
	read $in, $bytes, $size;
	if ($machine =~ /X86-64/) {
		while ($bytes =~ /\xe8(?=(....))/gs) {
			my $next = $addr + pos($bytes) + 4;
			push @returns, $next if $starts{$next + unpack 'l<', $1};
		}
	} else {
		for (my $i = 0; $i + 4 <= length $bytes; $i += 4) {
			my $word = unpack 'V', substr $bytes, $i, 4;
			next unless ($word >> 26) == 0x25;
			my $off = ($word & 0x3ffffff) << 2;
			$off -= 1 << 28 if $off >= 1 << 27;
			push @returns, $addr + $i + 4 if $starts{$addr + $i + $off};
		}
	}
}
@last = grep { $starts{$_} } @returns;

my (@cold, @init, @alias, @asm);
for my $addr (sort { $a <=> $b } keys %names) {
	my @list = @{$names{$addr}};
	my ($name, $size, $section, $kind) = @{$list[0]};
	push @asm, $addr if $kind eq 'NOTYPE' && $section eq '.text';
	next unless $size;
	my $inside = $addr + (pick() * 32768 + pick()) % $size;
	push @cold, $inside if $name =~ /\.cold/;
	push @init, $inside if $section eq '.init.text';
	push @alias, $inside if @list > 1;
}
my %seen;
my $part = int($chosen / 5);
for (some($random, @returns), some($part, @last)) { $seen{$_ - 1} = 1 }
for (some($part, @cold), some($part, @init), some($part, @alias), some($part, @asm)) { $seen{$_} = 1 }
printf "0x%x\n", $_ for sort { $a <=> $b } keys %seen;
