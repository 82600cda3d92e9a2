smtool merge -q -o fleet.smp a b c
tar --zstd -xf fleet.smp
size=$(stat -c %s smtool.profile)
mkdir cut changed version
cp smtool.json cut; cp smtool.json changed; cp smtool.json version
# the last row is lost: what came before is shown
head -c $((size - 20)) smtool.profile >cut/smtool.profile
smtool top -f csv cut | cut -d, -f5-
# one bit of a value
cp smtool.profile changed/smtool.profile
printf '\001' | dd of=changed/smtool.profile bs=1 seek=$((size - 9)) conv=notrunc status=none
smtool top -f csv changed >/dev/null
echo $?
sed 's/smtool-profile 1/smtool-profile 9/' smtool.profile >version/smtool.profile
smtool top version
echo $?
head -c 60 smtool.profile >version/smtool.profile
smtool top version
echo $?
