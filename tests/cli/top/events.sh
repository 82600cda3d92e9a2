smtool top --event kfree,kmem_cache_free -f csv le64 | cut -d, -f1,5-6,13-
