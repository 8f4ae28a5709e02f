-- A transaction that reads: all its queries see one moment.
BEGIN DEFERRED;
