#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: compare.pl REPORT NAMES EVENTS TOP [BUFFER]
# Compares what `trace-cmd report -t -l` (REPORT) and `trace-cmd report -t` (NAMES) printed of a file with what
# `smtool dump --events --format jsonl` and `smtool top --json` did: each event with its time, CPU, pid, task,
# fields and stack, and the totals. -l tells the context, by which stacks are joined, but cuts names of tasks.
# BUFFER: only the events of that instance, "" = of the top one. Prints differences, ten at most, and then
# a line with the number of events; status 1 where there are any.
use strict;
use warnings;
use JSON::PP;

my ($report_path, $names_path, $events_path, $top_path, $buffer) = @ARGV;
$buffer //= '';
my $differences = 0;

sub differ
{
	print "$_[0]\n" if $differences++ < 10;
}

# trace-cmd prints a stack as an event of its own, after the one that it belongs to: the newest of its CPU,
# pid and context that has none.
sub read_report
{
	my ($path, $names) = @_;
	my (@events, %waiting, $stack);

	open(my $in, '<', $path) or die "$path: $!";
	open(my $full, '<', $names) or die "$names: $!";
	while (<$in>) {
		if (/^=> (?:(\S+)(?: \[(\S+)\])? )?\(?([0-9a-f]+)\)?$/) {
			push @$stack, [$3, $1] if $stack;
			next;
		}
		# What comes next may be the stack of an event that was lost.
		if (/^\s*(?:(\S+):\s+)?CPU:(\d+) \[.*EVENTS DROPPED\]/ && ($1 // '') eq $buffer) {
			my $lost = "$2 ";

			delete @waiting{grep { index($_, $lost) == 0 } keys %waiting};
			next;
		}
		next unless /^\s*(?:(\S+):\s+)?(.*)-(\d+)\s+(\d+)(\S{5})\s+(\d+)\.(\d{9}):\s+(\w+):\s*(.*)$/;
		my ($of, $comm, $pid, $cpu, $flags, $s, $ns, $name, $rest) = ($1 // '', $2, $3, $4, $5, $6, $7, $8, $9);
		my $time = "$s$ns" =~ s/^0+(?=.)//r;
		my $key = "$cpu $pid " . substr($flags, 2, 1);

		my $line;
		do {
			$line = <$full> // die "$names: fewer events than $path\n";
		} until $line =~ /\[\d+\]\s+\d+\.\d{9}: /;
		die "$names: not the event of $path: $line"
			unless $line =~ /^\s*(?:\S+:\s+)?(.*)-$pid\s+\[0*$cpu\]\s+$s\.$ns: /;
		$comm = $1;
		$stack = undef;
		next if $of ne $buffer;
		if ($name eq 'kernel_stack') {
			my $to = pop @{$waiting{$key} // []};

			$stack = [];
			$to->{stack} = $stack if $to;
			next;
		}
		my %fields;
		while ($rest =~ /(\w+)=(\S+)/g) {
			$fields{$1} = $2;
		}
		my $event = {time => $time, cpu => $cpu, pid => $pid, comm => $comm, event => $name,
			fields => \%fields, stack => undef};
		push @events, $event;
		push @{$waiting{$key}}, $event;
	}
	return @events;
}

# A string or number of JSON, undef for null.
sub value
{
	my ($text) = @_;

	return undef if $text eq 'null';
	return $text if $text !~ s/^"(.*)"$/$1/s;
	return $text =~ /\\/ ? JSON::PP->new->utf8->allow_nonref->decode("\"$text\"") : $text;
}

# Each event is a line whose keys are in a known order: a JSON parser in Perl takes a hundred times as long.
sub read_events
{
	my ($path) = @_;
	my $word = qr/"(?:[^"\\]|\\.)*"|null|-?\d+/;
	my @events;

	open(my $in, '<', $path) or die "$path: $!";
	while (<$in>) {
		/^\{"ts_ns":(\d+),"cpu":(\d+),"pid":(-?\d+),"comm":($word),"context":$word,"event":"(\w+)",
			"fields":\{(.*?)\},"stack_id":$word,"frames":(null|\[.*\])\}$/x or die "$path: not an event: $_";
		my $event = {ts_ns => $1, cpu => $2, pid => $3, comm => value($4), event => $5, fields => {}};
		my ($fields, $frames) = ($6, $7);

		while ($fields =~ /"(\w+)":($word)/g) {
			$event->{fields}{$1} = value($2);
		}
		while ($frames =~ /\{"ip":"(\w+)","symbol":($word),"offset":($word),/g) {
			push @{$event->{frames}}, {ip => $1, symbol => value($2), offset => $3};
		}
		push @events, $event;
	}
	return @events;
}

# The call site's name where the stack has it, in the form of trace-cmd.
sub site_name
{
	my ($e) = @_;

	for my $frame (@{$e->{frames} // []}) {
		next if $frame->{ip} ne $e->{fields}{call_site} || !defined $frame->{symbol};
		return sprintf('%s+0x%x', $frame->{symbol}, $frame->{offset});
	}
	return undef;
}

sub compare_fields
{
	my ($where, $want, $got) = @_;

	for my $key (sort keys %{$got->{fields}}) {
		my $ours = $got->{fields}{$key};
		my $theirs = $want->{fields}{$key};

		next if !defined $theirs;
		$ours = site_name($got) // $theirs if $key eq 'call_site';
		$theirs = '0x0' if $theirs eq '(nil)';
		$ours = $ours ? 'true' : 'false' if $theirs =~ /^(?:true|false)$/;
		# pfn and migratetype are hexadecimal or numbers, as the print format says
		$ours = sprintf('0x%x', $ours) if $theirs =~ /^0x/ && $ours =~ /^\d+$/;
		differ("$where: $key is $ours, trace-cmd says $theirs") if $ours ne $theirs;
	}
	for my $key (qw(ptr bytes_req bytes_alloc gfp_flags name)) {
		differ("$where: no $key") if defined $want->{fields}{$key} && !defined $got->{fields}{$key};
	}
}

sub compare_stacks
{
	my ($where, $want, $got) = @_;
	my @theirs = @{$want->{stack} // []};
	my @ours = @{$got->{frames} // []};

	if (@theirs != @ours) {
		differ("$where: " . @ours . " frames, trace-cmd has " . @theirs);
		return;
	}
	for my $i (0 .. $#ours) {
		my $ip = $ours[$i]{ip} =~ s/^0x//r;
		my $symbol = $ours[$i]{symbol} // '?';
		my $name = $theirs[$i][1] // '?';

		differ("$where: frame $i is at $ip, trace-cmd says $theirs[$i][0]") if $ip ne $theirs[$i][0];
		differ("$where: frame $i ($ip) is $symbol, trace-cmd says $name") if $symbol ne $name;
	}
}

my @want = sort { $a->{time} <=> $b->{time} || $a->{cpu} <=> $b->{cpu} } read_report($report_path, $names_path);
my @got = sort { $a->{ts_ns} <=> $b->{ts_ns} || $a->{cpu} <=> $b->{cpu} } read_events($events_path);
differ(@got . " events, trace-cmd has " . @want) if @got != @want;

# Pages count where there are no slab events.
my ($bytes, $count) = (0, 0);
my $slab = grep { $_->{event} =~ /^km/ } @want;
for my $i (0 .. ($#want < $#got ? $#want : $#got)) {
	my ($w, $g) = ($want[$i], $got[$i]);
	my $where = "event $i at $w->{time}";

	differ("$where: time $g->{ts_ns}") if $g->{ts_ns} ne $w->{time};
	differ("$where: cpu $g->{cpu}, trace-cmd says $w->{cpu}") if $g->{cpu} != $w->{cpu};
	differ("$where: pid $g->{pid}, trace-cmd says $w->{pid}") if $g->{pid} != $w->{pid};
	differ("$where: $g->{event}, trace-cmd says $w->{event}") if $g->{event} ne $w->{event};
	differ("$where: task " . ($g->{comm} // '<...>') . ", trace-cmd says $w->{comm}")
		if ($g->{comm} // '<...>') ne $w->{comm};
	compare_fields($where, $w, $g);
	compare_stacks($where, $w, $g);
	if ($w->{event} =~ /^(?:kmalloc|kmem_cache_alloc)(?:_node)?$/ && $w->{fields}{ptr} ne '(nil)') {
		$count++;
		$bytes += $w->{fields}{bytes_alloc};
	} elsif (!$slab && $w->{event} eq 'mm_page_alloc' && $w->{fields}{page} ne '(nil)') {
		$count++;
		$bytes += 4096 << $w->{fields}{order};
	}
}

open(my $in, '<', $top_path) or die "$top_path: $!";
my $top = JSON::PP->new->utf8->decode(join('', <$in>));
my ($top_bytes, $top_count) = (0, 0);
for my $row (@{$top->{rows}}) {
	$top_bytes += $row->{bytes};
	$top_count += $row->{count};
}
differ("top: $top->{totals}{bytes} bytes, trace-cmd has $bytes") if $top->{totals}{bytes} != $bytes;
differ("top: $top->{totals}{count} allocations, trace-cmd has $count")
	if $top->{totals}{count} != $count;
differ("top: the rows have $top_bytes bytes in $top_count allocations, the total $bytes in $count")
	if $top_bytes != $bytes || $top_count != $count;
print "... and more, $differences in all\n" if $differences > 10;
printf "%d events, %d bytes in %d allocations, %d with stacks\n", scalar(@want), $bytes, $count,
	scalar(grep { defined $_->{stack} } @want);
exit($differences > 0);
