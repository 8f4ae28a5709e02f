/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of hypervisors by their signatures. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "runners/agent/hypervisor.h"

static void signatures_have_names(void **state)
{
	(void)state;
	assert_string_equal(hypervisor_name("KVMKVMKVM"), "kvm");
	assert_string_equal(hypervisor_name("TCGTCGTCGTCG"), "qemu (tcg)");
	assert_string_equal(hypervisor_name("Microsoft Hv"), "hyper-v");
	assert_string_equal(hypervisor_name("VMwareVMware"), "vmware");
	assert_string_equal(hypervisor_name("XenVMMXenVMM"), "xen");
}

static void spaces_at_the_ends_do_not_matter(void **state)
{
	(void)state;
	assert_string_equal(hypervisor_name("bhyve bhyve "), "bhyve");
	assert_string_equal(hypervisor_name(" lrpepyh vr"), "parallels");
}

static void others_have_none(void **state)
{
	(void)state;
	assert_null(hypervisor_name(""));
	assert_null(hypervisor_name("   "));
	assert_null(hypervisor_name("KVMKVM"));
	assert_null(hypervisor_name("KVMKVMKVMKVM"));
	assert_null(hypervisor_name("bhyvebhyve"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signatures_have_names),
		cmocka_unit_test(spaces_at_the_ends_do_not_matter),
		cmocka_unit_test(others_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
