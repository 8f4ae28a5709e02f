/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/knob/knob.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "runners/knob/level.h"
#include "runners/knob/topology.h"

/* How well two CPUs fit a level: 0 best, more is less near to what is meant, -1 not at all. */

static int fit_same_cpu(const struct topology_cpu *a, const struct topology_cpu *b)
{
	return a == b ? 0 : -1;
}

static int fit_same_core(const struct topology_cpu *a, const struct topology_cpu *b)
{
	return a != b && a->core == b->core ? 0 : -1;
}

static int fit_smt_sibling(const struct topology_cpu *a, const struct topology_cpu *b)
{
	return fit_same_core(a, b) == 0 && a->l1 == b->l1 ? 0 : -1;
}

static int fit_cross_core(const struct topology_cpu *a, const struct topology_cpu *b)
{
	if (a->core == b->core)
		return -1;
	if (a->llc == b->llc)
		return 0;
	return a->node == b->node ? 1 : 2;
}

static int fit_same_llc(const struct topology_cpu *a, const struct topology_cpu *b)
{
	return a->core != b->core && a->llc == b->llc ? 0 : -1;
}

static int fit_cross_llc(const struct topology_cpu *a, const struct topology_cpu *b)
{
	if (a->llc == b->llc)
		return -1;
	if (a->node == b->node && a->package == b->package)
		return 0;
	return a->package == b->package ? 1 : 2;
}

static int fit_cross_node(const struct topology_cpu *a, const struct topology_cpu *b)
{
	return a->node != b->node ? 0 : -1;
}

/**
 * struct placement - one level
 * @lacking: why a machine may not have it, for the message
 * @needs_llc: the answer depends on the caches, which not every machine shows
 */
static const struct placement {
	const char *name;
	int (*fit)(const struct topology_cpu *a, const struct topology_cpu *b);
	const char *lacking;
	bool needs_llc;
} placements[] = {
	{ "same-cpu", fit_same_cpu, "no CPU online", false },
	{ "smt-sibling", fit_smt_sibling, "no SMT siblings online", false },
	{ "same-core", fit_same_core, "no SMT siblings online", false },
	{ "cross-core", fit_cross_core, "no second core online", false },
	{ "same-llc", fit_same_llc, "no two cores online that share a last-level cache", true },
	{ "cross-llc", fit_cross_llc, "only one last-level cache", true },
	{ "cross-node", fit_cross_node, "only one NUMA node with CPUs online", false },
};

static const struct placement *find_placement(const char *name)
{
	for (size_t i = 0; i < array_size(placements); i++)
		if (strcmp(placements[i].name, name) == 0)
			return &placements[i];
	return NULL;
}

static int placement_check(const json_t *level, struct error *err)
{
	const char *names[array_size(placements)], *name = json_string_value(level);
	char *hint, *text;

	if (name && find_placement(name))
		return 0;
	for (size_t i = 0; i < array_size(placements); i++)
		names[i] = placements[i].name;
	text = name ? xstrdup(name) : json_line(level);
	hint = names_hint(text, "there are", names, array_size(names));
	error_set(err, -EINVAL, "'%s' is no placement%s", text, hint);
	free(hint);
	free(text);
	return -EINVAL;
}

static char *placement_label(const json_t *level)
{
	return json_is_string(level) ? xstrdup(json_string_value(level)) : json_line(level);
}

/* CPU 0 has the machine's housekeeping; its core's other threads feel it. */
static int busyness(const struct topology_cpu *c)
{
	return c->cpu == 0 ? 2 : c->core == 0;
}

/**
 * struct choice - a pair and what speaks against it, the weightiest first; ties go to the lowest CPUs
 */
struct choice {
	const struct topology_cpu *a, *b;
	int against[3];
};

static bool better(const struct choice *x, const struct choice *y)
{
	for (size_t i = 0; i < array_size(x->against); i++)
		if (x->against[i] != y->against[i])
			return x->against[i] < y->against[i];
	return false;
}

/* Pairs come in ascending order, so that of equals the first stays. */
static bool choose(const struct topology *t, const struct placement *p, struct choice *best)
{
	*best = (struct choice){ 0 };
	for (size_t i = 0; i < t->n; i++) {
		for (size_t j = i; j < t->n; j++) {
			const struct topology_cpu *a = &t->c[i], *b = &t->c[j];
			struct choice c = { a, b, { p->fit(a, b) } };

			if (c.against[0] < 0)
				continue;
			c.against[1] = -(cpulist_has(&t->isolated, a->cpu) +
					 cpulist_has(&t->isolated, b->cpu));
			c.against[2] = busyness(a) + busyness(b);
			if (!best->a || better(&c, best))
				*best = c;
		}
	}
	return best->a != NULL;
}

static int lacks(const struct topology *t, const struct placement *p, const struct machine *machine,
	struct error *err)
{
	struct strbuf sb = STRBUF_INIT;
	const char *smt = json_str(machine->facts, "smt", "");
	struct choice ignored;

	strbuf_printf(&sb, "this machine has %s", p->lacking);
	if (p->fit == fit_same_core && strstr(smt, "off"))
		strbuf_printf(&sb, " (SMT is switched %s)", smt);
	if (p->needs_llc && !t->llc_known)
		strbuf_puts(&sb, " (it shows no caches, so a package is taken as one)");
	strbuf_printf(&sb, ", so there is no '%s'; levels it has:", p->name);
	for (size_t i = 0, n = 0; i < array_size(placements); i++)
		if (choose(t, &placements[i], &ignored))
			strbuf_printf(&sb, "%s %s", n++ ? "," : "", placements[i].name);
	error_set(err, -ENODEV, "%s", strbuf_text(&sb));
	strbuf_release(&sb);
	return -ENODEV;
}

static int placement_plan(const json_t *level, const struct machine *machine,
	struct knob_plan *plan, struct error *err)
{
	struct cpulist cpus = CPULIST_INIT;
	struct topology t;
	struct choice best;
	const struct placement *p;
	int r = placement_check(level, err);

	if (!r)
		r = topology_parse(machine->facts, &t, err);
	if (r)
		return r;
	p = find_placement(json_string_value(level));
	if (p->fit == fit_smt_sibling)
		topology_read_l1(&t, machine);
	if (choose(&t, p, &best)) {
		cpulist_add(&cpus, best.a->cpu);
		cpulist_add(&cpus, best.b->cpu);
		r = knob_plan_cpus(plan, &cpus, err);
	} else {
		r = lacks(&t, p, machine, err);
	}
	cpulist_release(&cpus);
	topology_release(&t);
	return r;
}

static int placement_available(const struct machine *machine, struct error *err)
{
	struct topology t;
	int r = topology_parse(machine->facts, &t, err);

	if (r < 0)
		return r;
	if (t.n < 2)
		r = error_set(err, -ENODEV,
			"only one CPU is online: same-cpu is the only placement; give the guest of "
			"target: vm more CPUs");
	topology_release(&t);
	return r;
}

const struct knob_ops knob_placement = {
	.name = "placement",
	.help = "which two CPUs the benchmark runs on, by what they share",
	.long_help =
		"A level is how near to each other the benchmark's two CPUs ({cpu0} and {cpu1})\n"
		"are; offline CPUs are never taken.\n"
		"\n"
		"  same-cpu     the same CPU twice\n"
		"  smt-sibling  two threads of a core that share its innermost cache\n"
		"  same-core    two threads of a core as the kernel counts cores\n"
		"  cross-core   two cores, of one last-level cache if there is such a pair\n"
		"  same-llc     two cores that share a last-level cache\n"
		"  cross-llc    two last-level caches, of one node and package if there are such\n"
		"  cross-node   two NUMA nodes\n"
		"\n"
		"smt-sibling and same-core differ only where a core has several innermost caches,\n"
		"as POWER's cores of eight threads, which are two small cores of four.\n"
		"\n"
		"  factors:\n"
		"    placement: [same-core, cross-core]\n"
		"\n"
		"Of the pairs that fit, isolated CPUs (isolcpus=) are preferred, then pairs away\n"
		"from CPU 0 and its core, where the machine's housekeeping runs, then the lowest\n"
		"numbers; so the choice is always the same on the same machine. For others write\n"
		"them by hand with cpus. A level that the machine lacks is an error before\n"
		"anything runs.\n"
		"\n"
		"Some machines, guests above all, show no caches; there a package is taken as one\n"
		"last-level cache.\n",
	.schema =
		"{\"enum\":[\"same-cpu\",\"smt-sibling\",\"same-core\",\"cross-core\",\"same-llc\","
		"\"cross-llc\",\"cross-node\"]}",
	.label = placement_label,
	.check = placement_check,
	.plan = placement_plan,
	.available = placement_available,
};
