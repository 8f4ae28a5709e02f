SELECT state FROM run WHERE id = ?1;
