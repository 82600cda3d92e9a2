# 64, 256, 1024 (the peak); 256 go at 1.0015 ms; 192 come; 64 become 128; 1024 go; 192 go, 8 come
for at in peak 0.0010005 0.0010012 0.0010016 0.003 0.0010045 +0.000001 0% 100%; do
	smtool top --at $at -f json le64 | grep -m 1 '"live_bytes":'
done
smtool top --at peak -n 1 le64
