-- Write-ahead log: readers never wait for the writer. Answers with the mode that is in force.
PRAGMA journal_mode = WAL;
