smtool dump --events --event "kf*" --event sched:sched_switch stack-ids
