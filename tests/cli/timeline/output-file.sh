smtool timeline -f svg -o out.svg data/demo.tar.zst
head -c 5 out.svg
