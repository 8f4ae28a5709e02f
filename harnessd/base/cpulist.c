/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cpulist.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/strbuf.h"

static const char *skip_space(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

static int parse_cpu(const char **p, int *cpu)
{
	char *end;
	long v;

	if (!isdigit((unsigned char)**p))
		return -EINVAL;
	v = strtol(*p, &end, 10);
	if (v > CPULIST_MAX_CPU)
		return -EINVAL;
	*cpu = (int)v;
	*p = end;
	return 0;
}

static int parse_range(const char **p, struct cpulist *list)
{
	int first, last;

	if (parse_cpu(p, &first) < 0)
		return -EINVAL;
	last = first;
	if (**p == '-') {
		(*p)++;
		if (parse_cpu(p, &last) < 0 || last < first)
			return -EINVAL;
	}
	for (int cpu = first; cpu <= last; cpu++)
		cpulist_add(list, cpu);
	return 0;
}

int cpulist_parse(const char *text, struct cpulist *list, struct error *err)
{
	const char *p = skip_space(text);

	*list = CPULIST_INIT;
	while (*p) {
		if (parse_range(&p, list) < 0)
			goto bad;
		p = skip_space(p);
		if (*p == ',')
			p = skip_space(p + 1);
		else if (*p)
			goto bad;
	}
	return 0;
bad:
	cpulist_release(list);
	return error_set(err, -EINVAL, "'%s' is no CPU list; write it like 0-3,8", text);
}

void cpulist_add(struct cpulist *list, int cpu)
{
	array_reserve(list->cpu, list->n, list->cap);
	list->cpu[list->n++] = cpu;
}

struct cpulist cpulist_copy(const struct cpulist *list)
{
	struct cpulist copy = CPULIST_INIT;

	for (size_t i = 0; i < list->n; i++)
		cpulist_add(&copy, list->cpu[i]);
	return copy;
}

bool cpulist_has(const struct cpulist *list, int cpu)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->cpu[i] == cpu)
			return true;
	return false;
}

bool cpulist_equal(const struct cpulist *a, const struct cpulist *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->cpu[i] != b->cpu[i])
			return false;
	return true;
}

char *cpulist_format(const struct cpulist *list)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < list->n;) {
		size_t j = i;

		while (j + 1 < list->n && list->cpu[j + 1] == list->cpu[j] + 1)
			j++;
		strbuf_printf(&sb, "%s%d", i ? "," : "", list->cpu[i]);
		if (j > i)
			strbuf_printf(&sb, "%c%d", j > i + 1 ? '-' : ',', list->cpu[j]);
		i = j + 1;
	}
	return strbuf_steal(&sb);
}

cpu_set_t *cpulist_to_set(const struct cpulist *list, size_t *size)
{
	int max = 0;
	cpu_set_t *set;

	for (size_t i = 0; i < list->n; i++)
		if (list->cpu[i] > max)
			max = list->cpu[i];
	set = CPU_ALLOC((size_t)max + 1);
	if (!set)
		abort();
	*size = CPU_ALLOC_SIZE((size_t)max + 1);
	CPU_ZERO_S(*size, set);
	for (size_t i = 0; i < list->n; i++)
		CPU_SET_S((size_t)list->cpu[i], *size, set);
	return set;
}

void cpulist_release(struct cpulist *list)
{
	free(list->cpu);
	*list = CPULIST_INIT;
}
