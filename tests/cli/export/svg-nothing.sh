smtool export -f svg --comm nobody new | sed '/^<script>/,/<.script>/d; /^<style>/d'
smtool export -f folded --comm nobody new
smtool export -f speedscope --comm nobody --by bytes new
smtool export -f rows -o none --comm nobody new
wc -c none.*
