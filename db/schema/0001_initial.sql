-- The first schema. Never edit a migration that has been released: add the next number.
-- docs/schema.md says in prose what each table is for.

PRAGMA application_id = 1751216750; -- "harn"

CREATE TABLE run (
	id INTEGER PRIMARY KEY AUTOINCREMENT, -- a number once quoted never means another run
	name TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('running', 'interrupted', 'finished', 'failed')),
	job_path TEXT NOT NULL,
	job_text TEXT NOT NULL,
	job TEXT NOT NULL CHECK (json_valid(job)),
	benchmark_text TEXT NOT NULL,
	facts TEXT CHECK (facts IS NULL OR json_valid(facts)),
	target TEXT CHECK (target IS NULL OR json_valid(target)),
	seed INTEGER NOT NULL, -- 64 bits, shown by SQL as a signed number
	baseline INTEGER NOT NULL CHECK (baseline >= 0), -- index of an arm
	metric TEXT NOT NULL,
	verdict TEXT CHECK (verdict IS NULL OR json_valid(verdict)),
	error TEXT,
	started_ns INTEGER NOT NULL, -- since 1970, UTC
	ended_ns INTEGER,
	version TEXT NOT NULL,
	CHECK ((state = 'running') = (ended_ns IS NULL))
) STRICT;

CREATE TABLE arm (
	id INTEGER PRIMARY KEY,
	run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	idx INTEGER NOT NULL CHECK (idx >= 0), -- in the order of the job
	label TEXT NOT NULL,
	levels TEXT NOT NULL CHECK (json_valid(levels)), -- object factor -> level
	plan TEXT CHECK (plan IS NULL OR json_valid(plan)), -- as carried out
	UNIQUE (run, idx)
) STRICT;

CREATE TABLE trial (
	id INTEGER PRIMARY KEY, -- rises in the order in which trials ran
	run INTEGER NOT NULL,
	arm INTEGER NOT NULL, -- arm.idx
	block INTEGER NOT NULL CHECK (block >= 0),
	position INTEGER NOT NULL CHECK (position >= 0),
	repeat INTEGER NOT NULL CHECK (repeat >= 0),
	attempt INTEGER NOT NULL CHECK (attempt >= 0),
	warmup INTEGER NOT NULL CHECK (warmup IN (0, 1)),
	state TEXT NOT NULL CHECK (state IN ('started', 'done', 'failed', 'void', 'lost')),
	reason TEXT,
	nonce TEXT NOT NULL,
	started_ns INTEGER NOT NULL,
	elapsed_ns INTEGER NOT NULL CHECK (elapsed_ns >= 0),
	result TEXT CHECK (result IS NULL OR json_valid(result)), -- exit, signal, rusage, survivors, ...
	FOREIGN KEY (run, arm) REFERENCES arm (run, idx) ON DELETE CASCADE,
	UNIQUE (run, arm, block, repeat, attempt)
) STRICT;

CREATE INDEX trial_of_run ON trial (run);
-- However often a trial is repeated after a crash, it counts once. A warm-up counts never, and a run
-- that is taken up again warms up anew.
CREATE UNIQUE INDEX trial_counts_once ON trial (run, arm, block, repeat)
	WHERE state = 'done' AND NOT warmup;

-- Dictionaries. Their rows are never deleted, so the columns that refer to them need no index.

CREATE TABLE metric (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL,
	unit TEXT NOT NULL,
	better TEXT NOT NULL CHECK (better IN ('none', 'higher', 'lower')),
	labels TEXT NOT NULL CHECK (json_valid(labels)),
	UNIQUE (name, unit, better, labels)
) STRICT;

CREATE TABLE collector (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE counter_key (
	id INTEGER PRIMARY KEY,
	collector INTEGER NOT NULL REFERENCES collector,
	name TEXT NOT NULL,
	unit TEXT NOT NULL,
	labels TEXT NOT NULL CHECK (json_valid(labels)), -- "cpu": null: the CPU is in the cells
	UNIQUE (collector, name, unit, labels)
) STRICT;

CREATE TABLE sample (
	trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
	n INTEGER NOT NULL, -- order of appearance, from 0
	metric INTEGER NOT NULL REFERENCES metric,
	value REAL NOT NULL,
	PRIMARY KEY (trial, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE figure (
	trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
	metric INTEGER NOT NULL REFERENCES metric,
	value REAL NOT NULL,
	PRIMARY KEY (trial, metric)
) STRICT, WITHOUT ROWID;

CREATE TABLE trial_collector (
	id INTEGER PRIMARY KEY,
	trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
	collector INTEGER NOT NULL REFERENCES collector,
	cells TEXT NOT NULL, -- JSON, see the view counter; counters that are 0 are left out
	error TEXT, -- why this collector has nothing
	notes TEXT CHECK (notes IS NULL OR json_valid(notes)), -- array of texts, NULL for none
	UNIQUE (trial, collector)
) STRICT;

-- The cells of one collector in one trial are one JSON object of counter_key.id. A counter without
-- a cpu label is a number; one with it is an object of a first CPU and what this and the CPUs behind
-- it counted, a number or an array:
--	{"17": {"0": [5, 7, 0, 3], "40": 1}, "18": 12.5}
-- so a cell takes 4 to 10 bytes on disk, where a row of its own would take 14.
CREATE VIEW counter AS
SELECT trial_collector.trial, collector.name AS collector, counter_key.id AS counter_key,
	counter_key.name, counter_key.unit, counter_key.labels,
	stretch.key + coalesce(cell.key, 0) AS cpu,
	CASE WHEN entry.type <> 'object' THEN entry.value
		WHEN stretch.type <> 'array' THEN stretch.value
		ELSE cell.value END AS value
FROM trial_collector
	JOIN collector ON collector.id = trial_collector.collector
	JOIN json_each(trial_collector.cells) AS entry
	JOIN counter_key ON counter_key.id = CAST(entry.key AS INTEGER)
	JOIN json_each(entry.value) AS stretch
	JOIN json_each(stretch.value) AS cell
WHERE cell.value <> 0;

-- length: of the text; data: its zlib stream, or the text itself when that is no longer, so that
-- sqlar_uncompress(data, length) of the sqlite3 shell gives it back.
CREATE TABLE raw (
	id INTEGER PRIMARY KEY,
	trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
	name TEXT NOT NULL,
	length INTEGER NOT NULL CHECK (length >= 0),
	data BLOB NOT NULL,
	UNIQUE (trial, name)
) STRICT;

PRAGMA user_version = 1;
