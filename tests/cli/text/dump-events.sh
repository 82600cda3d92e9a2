smtool dump --events page_owner.txt
smtool dump --events --comm sh -f jsonl page_owner.txt
smtool dump --events -f csv page_owner-5.11.txt
smtool dump --events --time 1,1.45 -f csv page_owner.txt
smtool dump --events page_owner-4.3.txt
grep -v ^PFN page_owner.txt | smtool dump --events --pid 212 -
