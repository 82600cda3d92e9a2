# 200 s after the first, 8 bytes were allocated last
for older in 0 1us 2us 199s 300s; do
	smtool top --by live_bytes --older $older -f json le64 | grep -m 1 '"live_bytes":'
done
