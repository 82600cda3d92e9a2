unset XDG_CACHE_HOME
HOME='' smtool symbolize --build-index vmlinux
