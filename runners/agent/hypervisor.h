/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the signatures that hypervisors give in CPUID are called by people. */
#ifndef AGENT_HYPERVISOR_H
#define AGENT_HYPERVISOR_H

enum { HYPERVISOR_SIGNATURE = 12 };

/**
 * hypervisor_name() - "kvm" for "KVMKVMKVM"
 * @signature: the 12 bytes of EBX, ECX and EDX of leaf 0x40000000, with a NUL behind them; white space at
 *	either end is passed over
 * Return: a word, or NULL for one that is not known.
 */
const char *hypervisor_name(const char *signature);

#endif
