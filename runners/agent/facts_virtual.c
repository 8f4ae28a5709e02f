/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "facts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "base/alloc.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "hypervisor.h"

#if defined(__x86_64__) || defined(__i386__)
static void read_leaf(unsigned int base, char signature[HYPERVISOR_SIGNATURE + 1])
{
	unsigned int leaf, part[3];

	__cpuid(base, leaf, part[0], part[1], part[2]);
	memcpy(signature, part, HYPERVISOR_SIGNATURE);
	signature[HYPERVISOR_SIGNATURE] = '\0';
}

/* A hypervisor that offers Hyper-V's interface to Windows guests gives its own name in the next place. */
static void add_hypervisor(struct strbuf *sb)
{
	char first[HYPERVISOR_SIGNATURE + 1], second[HYPERVISOR_SIGNATURE + 1];
	const char *name;

	read_leaf(0x40000000, first);
	read_leaf(0x40000100, second);
	name = strcmp(first, "Microsoft Hv") == 0 ? hypervisor_name(second) : NULL;
	if (!name)
		name = hypervisor_name(first);
	strbuf_puts(sb, name ? name : first);
}
#else
static void add_hypervisor(struct strbuf *sb)
{
	(void)sb;
}
#endif

/* "flags		: fpu vme ... hypervisor lahf_lm" (x86; other architectures have no such flag) */
static bool has_hypervisor_flag(const struct sysroot *root)
{
	char *text;
	json_t *flags;
	bool has = false;

	if (sysroot_read(root, "proc/cpuinfo", &text, NULL, NULL) < 0)
		return false;
	flags = fact_field(text, "flags");
	if (json_is_string(flags)) {
		const char *at = strstr(json_string_value(flags), " hypervisor");

		has = at && (at[11] == ' ' || at[11] == '\0');
	}
	json_decref(flags);
	free(text);
	return has;
}

static void add_line(
	struct strbuf *sb, const struct sysroot *root, const char *path, const char *between)
{
	json_t *line = fact_line(root, path);

	if (json_is_string(line) && *json_string_value(line))
		strbuf_printf(sb, "%s%s", sb->len ? between : "", json_string_value(line));
	json_decref(line);
}

/* Firmware tables tell of a virtual machine where the processor doesn't (arm64). */
static bool is_virtual_vendor(const char *dmi)
{
	static const char *const vendors[] = { "QEMU", "VMware", "innotek", "Xen", "KVM",
		"Amazon EC2", "Google", "Virtual Machine", "Parallels" };

	for (size_t i = 0; i < array_size(vendors); i++)
		if (strstr(dmi, vendors[i]))
			return true;
	return false;
}

json_t *facts_virtualisation(const struct sysroot *root)
{
	struct strbuf text = STRBUF_INIT, dmi = STRBUF_INIT;
	bool flagged = has_hypervisor_flag(root);
	json_t *fact;

	if (flagged && sysroot_is_machine(root))
		add_hypervisor(&text);
	if (!text.len)
		add_line(&text, root, "sys/hypervisor/type", "");
	add_line(&dmi, root, "sys/class/dmi/id/sys_vendor", " ");
	add_line(&dmi, root, "sys/class/dmi/id/product_name", " ");
	if (dmi.len && (flagged || text.len || is_virtual_vendor(strbuf_text(&dmi))))
		strbuf_printf(&text, "%s%s", text.len ? ", " : "", strbuf_text(&dmi));
	if (flagged && !text.len)
		strbuf_puts(&text, "unknown hypervisor");
	fact = text.len ? json_blob(strbuf_text(&text), text.len) : json_null();
	strbuf_release(&text);
	strbuf_release(&dmi);
	return fact;
}
