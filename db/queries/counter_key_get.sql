SELECT name, unit, labels FROM counter_key WHERE id = ?1;
