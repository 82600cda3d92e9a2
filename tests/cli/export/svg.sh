# All but its script and style, which a browser tries in tests/export
smtool export -f svg new | sed '/^<script>/,/<.script>/d; /^<style>/d'
