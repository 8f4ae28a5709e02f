-- Facts and target of run ?1.
UPDATE run SET facts = ?2, target = ?3 WHERE id = ?1;
