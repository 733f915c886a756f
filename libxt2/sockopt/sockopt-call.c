/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sockopt-call.c - what the calls of all families have in common: see sockopt-call.h */
#include "config.h"
#include "libxt2/err.h"
#include "sockopt-call.h"

#include <stdlib.h>

int xt2_call_fail_(const struct xt2_call_ *call, int errnum, const char *what)
{
	int code = errnum == ENOENT	       ? XT2_E_UNKNOWN
		   : errnum == EPROTONOSUPPORT ? XT2_E_UNKNOWN
		   : errnum == EINVAL	       ? XT2_E_BLOB
					       : XT2_E_SYSTEM;

	return xt2_err_set(call->err, code, errnum, "%s", what);
}

int xt2_call_read_(const struct xt2_call_ *call, void *to, u64 from, u64 size)
{
	if (call->caller->read(call->caller->data, from, to, size))
		return xt2_call_fail_(call, EFAULT, "the caller's memory cannot be read");
	return 0;
}

int xt2_call_write_(const struct xt2_call_ *call, u64 to, const void *from, u64 size)
{
	if (call->caller->write(call->caller->data, to, from, size))
		return xt2_call_fail_(call, EFAULT, "the caller's memory cannot be written");
	return 0;
}

int xt2_call_table_(struct xt2_call_ *call, const char *name)
{
	int table = xt2_table_find(call->rs, call->family, name);

	if (table >= 0)
		return table;
	if (!xt2_table_hooks(call->family, name))
		return xt2_err_set(call->err, XT2_E_UNKNOWN, ENOENT, "no table is called %s", name);
	table = xt2_table_add(call->rs, call->family, name, NULL);
	if (table < 0)
		return xt2_call_fail_(call, ENOMEM, "no memory for a table");
	call->added = true;
	return table;
}

int xt2_call_replace_(const struct xt2_call_ *call, int compat, const struct xt2_sockopt_sets *sets,
		      const void *blob, u64 len)
{
	struct xt2_replaced_ old;
	int ret = xt2_table_replace_(call->rs, call->family, compat, sets, blob, len, 0, &old,
				     call->err);

	if (ret < 0)
		return ret;
	if (old.n)
		call->caller->write(call->caller->data, old.to, old.count,
				    old.n * sizeof(*old.count));
	free(old.count);
	return 1;
}

static int moved(const struct xt2_call_ *call)
{
	return xt2_call_fail_(call, EAGAIN, "the table has another size now");
}

int xt2_call_entries_(const struct xt2_call_ *call, const struct xt2_ruleset *rs, int table,
		      int compat, const struct xt2_sockopt_sets *sets, u64 size, u64 to)
{
	void *bytes = xt2_alloc_large_(size ? size : 1);
	struct xt2_entries_ e;
	int ret;

	if (!bytes)
		return xt2_call_fail_(call, ENOMEM, "no memory for the entries");
	ret = xt2_entries_write_(rs, table, compat, sets, &e, bytes, size, call->err);
	if (ret == -ENOSPC || (!ret && e.size != size))
		ret = moved(call);
	if (!ret)
		ret = xt2_call_write_(call, to, bytes, size);
	free(bytes);
	return ret;
}

int xt2_call_length_(const struct xt2_call_ *call)
{
	return xt2_call_fail_(call, EINVAL, "the length is not that of this option");
}
