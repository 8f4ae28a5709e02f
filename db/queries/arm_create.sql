-- An arm: run, index, label, levels, plan.
INSERT INTO arm (run, idx, label, levels, plan) VALUES (?1, ?2, ?3, ?4, ?5);
