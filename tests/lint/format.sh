# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# .clang-format, by the version that it was written for: others format differently.

for tool in clang-format-14 clang-format; do
	case $($tool --version 2>/dev/null) in
	*' version 14.'*)
		# What is in kernel/ keeps to the kernel's own style.
		grep -E '\.[ch]$' "$SM_FILES" | grep -v '^kernel/' | tr '\n' '\0' |
			xargs -0 "$tool" --dry-run -Werror --ferror-limit=1
		exit
		;;
	esac
done
echo 'no clang-format 14 here'
exit 77
