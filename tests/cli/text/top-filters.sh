rows()
{
	echo "== $*"
	smtool top -f csv -g comm "$@" | sed 1d | cut -d , -f 2,5-
}
rows --comm tar page_owner.txt
rows --comm 's*' page_owner.txt
rows --pid 300 page_owner.txt
rows --order 2,3 page_owner.txt
rows --gfp __GFP_COMP page_owner.txt
rows --gfp '__GFP_ZERO|GFP_HIGHUSER_MOVABLE' page_owner.txt
rows --gfp GFP_KERNEL page_owner.txt
rows --min-size 8k page_owner.txt
rows --older 1s page_owner.txt
rows --time 1.45,2 page_owner.txt
rows --time ,50% page_owner.txt
rows --event page_owner page_owner.txt
rows --page page_owner.txt
rows --focus anon page_owner.txt
rows --page-size 64k page_owner.txt
smtool top -f csv -g pid page_owner-5.11.txt | cut -d , -f 2,5-
smtool top -f csv --page-size 16k --focus xfs show_stacks.txt | cut -d , -f 2,5-
