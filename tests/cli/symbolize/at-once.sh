# Somebody asks, reads the answer, asks again.
mkfifo ask answer
smtool symbolize --kallsyms data/map.kallsyms <ask >answer &
exec 3>ask 4<answer
echo ffffffff81200048 >&3
read -r line <&4
echo "got $line"
echo schedule_timeout >&3
read -r line <&4
echo "got $line"
exec 3>&-
wait
