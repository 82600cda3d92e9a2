mkcapture "$DATA/gen/two-instances.txt" capture
mkdat -p zlib capture trace.dat
smtool top trace.dat
echo "status $?"
smtool info --instance nothing trace.dat
echo "status $?"
