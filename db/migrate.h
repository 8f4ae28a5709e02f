/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bringing a database to this program's schema. */
#ifndef DB_MIGRATE_H
#define DB_MIGRATE_H

#include "db/query.h"

enum { STORE_APPLICATION_ID = 0x6861726e }; /* "harn", as in db/schema/0001_initial.sql */

/**
 * migrate_check_file() - is the open file a database of ours, or an empty one?
 *
 * Looks at the first bytes without a lock or a transaction, so that a foreign file stays as it is,
 * to its journal. Return: 0 or -EINVAL.
 */
int migrate_check_file(struct store *store, struct error *err);
/**
 * migrate_check_schema() - is the schema one that this program knows?
 * @version: its number, 0 for an empty database
 * Return: 0, -EINVAL (foreign or damaged), -EPROTO (from a newer program).
 */
int migrate_check_schema(struct store *store, int *version, struct error *err);
/** migrate_newest() - number of the newest schema. */
int migrate_newest(void);
/** migrate_run() - carry out what is missing, each migration in one transaction. */
int migrate_run(struct store *store, struct error *err);

#endif
