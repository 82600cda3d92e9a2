mkfifo ask answer
smtool symbolize --filter --kallsyms data/map.kallsyms <ask >answer &
exec 3>ask 4<answer
echo 'a 0xffffffff81200048' >&3
read -r line <&4
echo "got $line"
exec 3>&-
wait
