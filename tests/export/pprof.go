// SPDX-License-Identifier: GPL-2.0-or-later

// usage: pprof FILE totals | functions TYPE | labels KEY TYPE | diff TYPE
//
// Reads a profile with pprof's own package, checks what holds of each, and prints sums: of each sample
// type; of each function that is a leaf, innermost inlined; of each value of a label.
package main

import (
	"fmt"
	"os"
	"sort"
	"strings"

	"github.com/google/pprof/profile"
)

func die(format string, args ...interface{}) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(1)
}

func check(p *profile.Profile) {
	if err := p.CheckValid(); err != nil {
		die("not valid: %v", err)
	}
	for i, m := range p.Mapping {
		if m.ID != uint64(i+1) {
			die("mapping ids have gaps")
		}
	}
	for i, f := range p.Function {
		if f.ID != uint64(i+1) || f.Name == "" {
			die("function %d is %+v", i, f)
		}
	}
	for i, l := range p.Location {
		if l.ID != uint64(i+1) {
			die("location ids have gaps")
		}
		if l.Mapping == nil {
			die("location %d has no mapping", l.ID)
		}
		if m := l.Mapping; m.Limit != 0 && l.Address != 0 && (l.Address < m.Start || l.Address >= m.Limit) {
			die("location %d, %#x, is outside its mapping %s", l.ID, l.Address, m.File)
		}
	}
	if p.TimeNanos == 0 {
		die("no time")
	}
	// What is written again is the same.
	q, err := profile.Merge([]*profile.Profile{p})
	if err != nil {
		die("merge: %v", err)
	}
	if a, b := totals(p), totals(q); strings.Join(a, " ") != strings.Join(b, " ") {
		die("a merge changed %v to %v", a, b)
	}
}

func typeIndex(p *profile.Profile, name string) int {
	for i, t := range p.SampleType {
		if t.Type == name {
			return i
		}
	}
	die("no sample type %s", name)
	return 0
}

func totals(p *profile.Profile) (out []string) {
	for i, t := range p.SampleType {
		sum := int64(0)
		for _, s := range p.Sample {
			sum += s.Value[i]
		}
		out = append(out, fmt.Sprintf("%s %s %d", t.Type, t.Unit, sum))
	}
	return
}

func leaf(s *profile.Sample) string {
	l := s.Location[0]
	if len(l.Line) == 0 {
		return fmt.Sprintf("%#x", l.Address+1)
	}
	name := l.Line[0].Function.Name
	if len(l.Line) > 1 {
		name += fmt.Sprintf(" inlined in %s, %s:%d", l.Line[len(l.Line)-1].Function.Name,
			l.Line[0].Function.Filename, l.Line[0].Line)
	}
	return name
}

func values(s *profile.Sample, key string) (out []string) {
	out = append(out, s.Label[key]...)
	for _, n := range s.NumLabel[key] {
		out = append(out, fmt.Sprint(n))
	}
	return
}

func print(sums map[string]int64) {
	var lines []string
	for name, sum := range sums {
		if sum != 0 {
			lines = append(lines, fmt.Sprintf("%s %d", name, sum))
		}
	}
	sort.Strings(lines)
	for _, l := range lines {
		fmt.Println(l)
	}
}

func main() {
	f, err := os.Open(os.Args[1])
	if err != nil {
		die("%v", err)
	}
	p, err := profile.Parse(f)
	if err != nil {
		die("%v", err)
	}
	check(p)
	sums := map[string]int64{}
	switch os.Args[2] {
	case "totals":
		for _, l := range totals(p) {
			fmt.Println(l)
		}
		fmt.Printf("default %s\n", p.DefaultSampleType)
	case "functions":
		i := typeIndex(p, os.Args[3])
		for _, s := range p.Sample {
			sums[leaf(s)] += s.Value[i]
		}
		print(sums)
	case "labels":
		i := typeIndex(p, os.Args[4])
		for _, s := range p.Sample {
			for _, v := range values(s, os.Args[3]) {
				sums[v] += s.Value[i]
			}
		}
		print(sums)
	case "diff":
		i := typeIndex(p, os.Args[3])
		for _, s := range p.Sample {
			base := s.DiffBaseSample()
			if base != (s.Value[i] < 0) {
				die("base %v, value %d", base, s.Value[i])
			}
			sums[leaf(s)] += s.Value[i]
		}
		print(sums)
	default:
		die("what?")
	}
}
