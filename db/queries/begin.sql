-- A transaction that writes: takes the lock at once, so that waiting for it is possible.
BEGIN IMMEDIATE;
