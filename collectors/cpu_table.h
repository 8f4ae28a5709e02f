/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The form that interrupts and softirqs share: a header of CPU names, then rows of counters, one
 * column for each CPU of the header. Parsed into a matrix, since a big machine has 150,000 cells. */
#ifndef COLLECTORS_CPU_TABLE_H
#define COLLECTORS_CPU_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/values.h"
#include "collectors/scan.h"

/**
 * enum cpu_row_kind - what a row holds
 * @CPU_ROW_FULL: one number for each CPU; @CPU_ROW_SINGLE: one number for the machine ("ERR: 0");
 * @CPU_ROW_TEXT: no number at all ("FIQ: usb_fiq")
 */
enum cpu_row_kind { CPU_ROW_FULL, CPU_ROW_SINGLE, CPU_ROW_TEXT };

/**
 * struct cpu_row - one row; the spans point into the text that was parsed
 * @row: its place among the rows, from 0 (the header and empty lines don't count)
 * @key: "16", "RES"; keys may repeat
 * @count: one counter for each column of the table, or one, or none
 */
struct cpu_row {
	size_t row;
	enum cpu_row_kind kind;
	struct span key, description;
	uint64_t *count;
};

/** struct cpu_table - a parsed text, which has to outlive it; @cpu: CPU number of each column */
struct cpu_table {
	int *cpu;
	size_t n_cpus;
	struct cpu_row *row;
	size_t n_rows, cap_rows;
	uint64_t *cells;
	size_t n_cells;
};

#define CPU_TABLE_INIT ((struct cpu_table){ 0 })

/**
 * cpu_table_parse() - read such a text
 * @table: to be released, also after errors
 * Return: 0, or -EINVAL: no header, or a row with some numbers but not one for each CPU, which is
 * what a text that was cut off looks like.
 */
int cpu_table_parse(const char *text, size_t len, struct cpu_table *table, struct error *err);

/**
 * cpu_table_subtract() - turn @after into the differences to @before
 * @notes: gets a note for each row that appeared, vanished or was set back
 *
 * Columns are matched by CPU number, rows by key, description and how often both were met before.
 * The kernel's counters are 32 bits wide: one that wrapped is unwrapped. A row that appeared
 * counts from 0, since the kernel shows no row before its first interrupt; one that was set back
 * (its device was removed and added again) becomes a CPU_ROW_TEXT.
 * Return: 0, or -ESTALE when the two have different CPUs.
 */
int cpu_table_subtract(const struct cpu_table *before, struct cpu_table *after,
	struct values *notes, struct error *err);

/**
 * cpu_table_emit() - add a row's counters to the values, one for each CPU
 * @model: name, unit and labels of them all; label "cpu" is added
 * @zeros: those that are 0 as well
 */
void cpu_table_emit(const struct cpu_table *table, const struct cpu_row *row,
	const struct value *model, bool zeros, struct values *out);

/** cpu_table_release() - free it and make it reusable. */
void cpu_table_release(struct cpu_table *table);

#endif
