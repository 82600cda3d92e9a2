# SPDX-License-Identifier: GPL-2.0-or-later
#
# Counts one suite's results and shows what somebody has to look at: failures with the lines that
# follow them, and what was skipped and why. Sets come by -v: see tests/check.

/^ok / { passed++; show = 0 }
/^skip / { skipped++; show = 0; print suite ": " $0 }
/^not ok / { failed++; show = 1; print suite ": " $0; next }
show || verbose { print "\t" $0 }

END {
	if (status != 0 && !failed) {
		failed++
		print suite ": not ok: its runner ended with status " status ":"
		system("tail -n 20 '" FILENAME "'")
	}
	if (passed + failed + skipped == 0)
		print suite ": no tests"
	printf "%-5s %d passed, %d failed, %d skipped (%d s)\n", suite ":", passed, failed, skipped,
		end - begin
	print passed + 0, failed + 0, skipped + 0 >>counts
}
