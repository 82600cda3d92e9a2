# LC_ALL, LC_CTYPE, LANG: the first that is set says which characters there are.
try()
{
	env -u LC_ALL -u LC_CTYPE -u LANG "$@" smtool timeline --total --height 2 lost | grep -c '┊'
}
try LC_ALL=de_DE.UTF-8
try LC_ALL=C LC_CTYPE=C.UTF-8 LANG=C.UTF-8
try LC_CTYPE=en_GB.utf8 LANG=C
try LC_CTYPE=C LANG=C.UTF-8
try LC_ALL= LANG=C.UTF-8
try LANG=POSIX
try TERM=xterm
