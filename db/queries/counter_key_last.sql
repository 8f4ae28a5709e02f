SELECT coalesce(max(id), 0) FROM counter_key;
