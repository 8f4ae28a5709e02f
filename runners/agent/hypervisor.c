/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hypervisor.h"

#include <stddef.h>
#include <string.h>

#include "base/alloc.h"

/* Without the spaces that some have at their ends. */
static const struct {
	const char *signature, *name;
} known[] = {
	{ "KVMKVMKVM", "kvm" },
	{ "Linux KVM Hv", "kvm" }, /* with Hyper-V's interface */
	{ "TCGTCGTCGTCG", "qemu (tcg)" },
	{ "Microsoft Hv", "hyper-v" },
	{ "VMwareVMware", "vmware" },
	{ "XenVMMXenVMM", "xen" },
	{ "VBoxVBoxVBox", "virtualbox" },
	{ "bhyve bhyve", "bhyve" },
	{ "OpenBSDVMM58", "openbsd vmm" },
	{ "___ NVMM ___", "nvmm" },
	{ "HAXMHAXMHAXM", "haxm" },
	{ "prl hyperv", "parallels" },
	{ "lrpepyh vr", "parallels" },
	{ "Apple VZ", "apple" },
	{ "ACRNACRNACRN", "acrn" },
	{ "QNXQVMBSQG", "qnx" },
	{ "Jailhouse", "jailhouse" },
};

const char *hypervisor_name(const char *signature)
{
	size_t len;

	signature += strspn(signature, " ");
	len = strlen(signature);
	while (len && signature[len - 1] == ' ')
		len--;
	for (size_t i = 0; i < array_size(known); i++)
		if (strlen(known[i].signature) == len &&
			memcmp(known[i].signature, signature, len) == 0)
			return known[i].name;
	return NULL;
}
