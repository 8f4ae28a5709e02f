-- Arms of run ?1.
SELECT id, idx, label, levels, plan FROM arm WHERE run = ?1 ORDER BY idx;
