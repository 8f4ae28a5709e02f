-- Settings of every connection.
PRAGMA foreign_keys = ON;
PRAGMA synchronous = FULL;
PRAGMA journal_size_limit = 4194304;
PRAGMA cell_size_check = ON;
