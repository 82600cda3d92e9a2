smtool top --by ref_count stack-ids
