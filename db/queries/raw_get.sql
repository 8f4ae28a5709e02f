SELECT length, data FROM raw WHERE trial = ?1 AND name = ?2;
