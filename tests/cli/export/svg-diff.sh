smtool export -f svg --base old --normalize new | sed '/^<script>/,/<.script>/d; /^<style>/d'
