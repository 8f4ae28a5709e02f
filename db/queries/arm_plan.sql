-- How arm ?2 of run ?1 was carried out.
UPDATE arm SET plan = ?3 WHERE run = ?1 AND idx = ?2;
