/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The .sql files of db/schema and db/queries inside the program, made by db/embed_sql.sh. */
#ifndef DB_SQL_FILES_H
#define DB_SQL_FILES_H

#include <stddef.h>

/** struct sql_file - one file: name "schema/0001_initial" or "queries/run_get", and its text */
struct sql_file {
	const char *name;
	const char *text;
};

/** sql_files - all of them, sorted by name (strcmp), sql_files_n in number. */
extern const struct sql_file sql_files[];
extern const size_t sql_files_n;

#endif
