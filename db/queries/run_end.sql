-- Run ?1 goes to state ?2: verdict, error, end time.
UPDATE run SET state = ?2, verdict = ?3, error = ?4, ended_ns = ?5 WHERE id = ?1;
