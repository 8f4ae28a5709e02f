-- The deciding metric of run ?1.
UPDATE run SET metric = ?2 WHERE id = ?1;
