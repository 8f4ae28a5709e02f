#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Print a C file that holds the .sql files given as arguments, sorted by name (see db/sql_files.h).
# A name is the last folder and the file without its suffix: db/queries/run_get.sql is
# "queries/run_get".
set -eu
export LC_ALL=C

names() {
	for file in "$@"; do
		name=${file%.sql}
		rest=${name%/*/*}
		printf '%s %s\n' "${name#"$rest"/}" "$file"
	done | sort
}

printf '/* Made by db/embed_sql.sh from the files in db/schema and db/queries. */\n'
printf '#include "db/sql_files.h"\n\nconst struct sql_file sql_files[] = {\n'
names "$@" | while read -r name file; do
	printf '\t{ "%s",\n' "$name"
	sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/\t  "&\\n"/' "$file"
	printf '\t},\n'
done
printf '};\n\nconst size_t sql_files_n = %d;\n' $#
