check()
{
	smtool diff "$@" >out
	echo "$? $(wc -l <out | awk '{ print ($1 > 0) ? "printed" : "nothing" }')"
}
check --fail-if 'grown>1M' old new
check --fail-if 'grown>10k' old new
check --fail-if 'grown > 10k' --fail-if 'new-rows>=1' --fail-if 'gone>1G' old new
check --fail-if 'delta>10%' --fail-if 'total>5M' old new
# Chance alone is no failure, unless it is asked for.
check --fail-if 'rows>4' old new
check --all --fail-if 'rows>4' old new
# Bad ones are told before anything is read.
check --fail-if 'grown>lots' old missing
check --fail-if 'growing>1' old new
check --fail-if 'growing-rows>0' t1 t2 t3 t4 t5 t6 t7 t8
# Nothing to judge: no success. A part of the input: 3, unless a condition holds.
check --fail-if 'new>1T' nothing new
check --fail-if 'new>1T' old nothing
check -q --fail-if 'new>1T' truncated truncated
check --all -q --fail-if 'total>0' truncated truncated
check --fail-if 'new>1T' old missing
