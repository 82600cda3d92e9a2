smtool export -f svg --no-skip hostile | sed '/^<script>/,/<.script>/d; /^<style>/d'
