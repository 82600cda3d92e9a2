smtool export -o a.folded new && cat a.folded
echo mine >b.svg
smtool export -o b.svg new
echo "status $?" && cat b.svg
smtool export --force -o b.svg new && head -n 1 b.svg
echo mine >c.facts.jsonl
smtool export -f rows -o c new
echo "status $?" && ls c.*
smtool export -o d.pb.gz nothing-here
echo "status $?" && ls d.* 2>&1
smtool export -f folded -o /dev/null new && echo written
smtool export -f folded -o e.pb.gz new && head -c 20 e.pb.gz
