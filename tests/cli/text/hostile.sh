# Names of tasks are what their owners wish; so, nearly, are those of files, functions and modules
page()
{
	printf 'Page allocated via order 0, mask 0xcc0(GFP_KERNEL), pid %d, tgid %d (%b), ts %d000 ns\n' "$1" "$1" "$2" "$1"
	printf 'PFN 0x%x type Movable\n prep_new_page+0xac/0xe0\n f%d+0x1/0x2\n\n' "$1" "$1"
}
{
	page 1 'a\nb'
	page 2 '), ts 5 ns'
	page 3 '\n\n\n'
	page 4 'x,tgid 9 (y'
	page 5 ''
	page 6 '\033[31m;"\0134'
	page 7 '\377\300\n'
	page 8 'Page allocated '
	page 9 '\nPage allocated'
	printf 'Page allocated via order 0, mask 0xcc0(G;F|"P), pid 10, tgid 10 (z), ts 10000 ns\n'
	printf ' a;b"\033c,d+0x1/0x2 [m\001"]\n\n'
} >names.txt
smtool top -g comm names.txt
smtool top -f csv -g comm names.txt
smtool dump -f folded --id 9 names.txt
smtool dump --events --pid 10 --json names.txt
smtool top -f csv -g gfp names.txt | cut -d , -f 2,5-
printf '           1        1 a b:c"\033.c:3 [m;"] func:f;"\033\\ \n           1        1 x[y]:3 func:g\n' >tags.txt
smtool top tags.txt
smtool top --json -n 1 tags.txt | sed -n '/frames/,/}/p'
smtool dump -f csv tags.txt
smtool check names.txt
