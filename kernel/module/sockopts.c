// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sockopts.c - the socket options of ip_tables, ip6_tables and arp_tables
 *
 * libxt2's xt2_sockopt_get() and _set() answer from a ruleset, which is made of the live table for
 * the call.  For GET_ENTRIES it has the table's counters as they are; for SET_ADD_COUNTERS they are
 * zero, so that what the call leaves there is what it adds.  SET_REPLACE wants the counters of
 * the old table: they are read when no packet is in that table any more, and
 * written to where the call would have put others before.
 *
 * The caller's memory is read before the namespace's mutex is taken and written after it was given up: a page
 * fault there may take as long as the caller likes.
 */
#include <linux/compat.h>
#include <linux/module.h>
#include <linux/netfilter_arp/arp_tables.h>
#include <linux/netfilter_ipv4/ip_tables.h>
#include <linux/netfilter_ipv6/ip6_tables.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <net/sock.h>
#include "libxt2/err.h"
#include "libxt2/sockopt/legacy-entries.h"
#include "tables.h"

#define NAME 32 /* XT_TABLE_MAXNAMELEN */

#define VALUE_MAX ((512u << 20) + 256) /* XT_MAX_TABLE_SIZE, and a header */
#define HEAD	  128 /* of a value that is answered: more than any option reads of it */

/* What the caller gets. */
struct answer {
	struct list_head list;
	void __user *to;
	size_t size;
	u64 bytes[];
};

struct call {
	struct xt2k_table *t; /* NULL: there is no table of this name */
	int level, option;
	void __user *value;
	u32 len, copied; /* bytes of the value; those that could be read */
	void *copy; /* of the value, or of its head */
	struct list_head answers;
	struct xt2_ruleset *rs;
	struct xt2_mapping map; /* the ruleset's */
	void __user *counters; /* where the old table's go */
	struct xt2_count_ *count; /* these: see XT2K_SLOTS, until they are read */
	u32 counts;
	struct xt2_err err;
};

/* --- the caller's memory ------------------------------------------------------------ */

static int take_value(struct call *call, u32 most)
{
	const u32 size = min(call->len, most);

	call->copy = kvmalloc(size ?: 1, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!call->copy)
		return -ENOMEM;
	call->copied = size - copy_from_user(call->copy, call->value, size);
	return 0;
}

static int value_read(void *data, __u64 from, void *to, size_t size)
{
	const struct call *call = data;
	const u64 at = from - (uintptr_t)call->value;

	if (at > call->copied || size > call->copied - at)
		return -EFAULT;
	memcpy(to, call->copy + at, size);
	return 0;
}

static int answer_later(void *data, __u64 to, const void *from, size_t size)
{
	struct call *call = data;
	struct answer *a =
		kvmalloc(struct_size(a, bytes, DIV_ROUND_UP(size, 8)), GFP_KERNEL_ACCOUNT);

	if (!a)
		return -ENOMEM;
	a->to = u64_to_user_ptr(to);
	a->size = size;
	memcpy(a->bytes, from, size);
	list_add_tail(&a->list, &call->answers);
	return 0;
}

static int give_answers(struct call *call)
{
	struct answer *a, *next;
	int ret = 0;

	list_for_each_entry_safe(a, next, &call->answers, list) {
		if (!ret && copy_to_user(a->to, a->bytes, a->size))
			ret = -EFAULT;
		kvfree(a);
	}
	return ret;
}

/* The kernel does not report that it cannot write them. */
static void give_counters(const struct call *call)
{
	if (call->count &&
	    copy_to_user(call->counters, call->count, call->counts * sizeof(*call->count)))
		net_warn_ratelimited("xt2: counters of a replaced table cannot be written\n");
}

/*
 * Of setsockopt(): the old table's counters, which are slots yet.  The library does not say that this has failed, so
 * publish() has to.
 */
static int write_later(void *data, __u64 to, const void *from, size_t size)
{
	struct call *call = data;

	call->counters = u64_to_user_ptr(to);
	call->counts = size / sizeof(*call->count);
	call->count = kvmalloc(size, GFP_KERNEL_ACCOUNT);
	if (!call->count)
		return -ENOMEM;
	memcpy(call->count, from, size);
	return 0;
}

/* --- tables ------------------------------------------------------------------------- */

static int find_table(struct net *net, enum xt2k_family family, struct call *call)
{
	struct xt2k_net *xn = net_generic(net, xt2k_net_id);
	char name[NAME];
	int i;

	if (call->len < NAME)
		return 0;
	if (call->copied < NAME)
		return -EFAULT;
	memcpy(name, call->copy, NAME);
	name[NAME - 1] = '\0';
	for (i = 0; i < XT2K_NAMES; i++) {
		if (!strcmp(name, xt2k_names[i]) &&
		    xt2_table_hooks(xt2k_kinds[family].nfproto, name))
			call->t = &xn->table[family][i];
	}
	return 0;
}

/* The live table as a ruleset, for what does not look at its counters. */
static int load_uncounted(struct call *call)
{
	const struct xt2k_live *live = call->t ? xt2k_table_live(call->t) : NULL;

	call->rs = xt2_ruleset_new();
	if (!call->rs)
		return -ENOMEM;
	return live ? xt2_ruleset_load(call->rs, live->img, live->size) : 0;
}

/* The live table as a ruleset. */
static int load(struct call *call, enum xt2k_counts counts)
{
	struct xt2k_live *live = call->t ? xt2k_table_live(call->t) : NULL;
	int ret;

	call->rs = xt2_ruleset_new();
	if (!call->rs)
		return -ENOMEM;
	if (!live)
		return 0;
	ret = xt2k_image_copy_raw(live, counts, &call->map);
	return ret ? ret : xt2_ruleset_load(call->rs, call->map.image, call->map.size);
}

static void end(struct call *call)
{
	xt2_ruleset_free(call->rs);
	xt2_image_close(&call->map);
	kvfree(call->copy);
	kvfree(call->count);
	kvfree(call);
}

/* --- a new table ------------------------------------------------------------------ */

/*
 * Where the counters of a table's entries are: see XT2K_SLOTS; entries that count nothing have 0 bytes.
 * => to kvfree(), n of them; NULL: no memory
 */
static struct xt2_count_ *slots_of(const struct xt2k_live *live, u32 *n)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_count_ *slot = NULL;
	struct xt2_mapping map = { 0 };

	if (!rs || xt2k_image_copy(live, XT2K_SLOTS, &map) ||
	    xt2_ruleset_load(rs, map.image, map.size))
		goto out;
	*n = xt2_entries_count_(rs, 0);
	slot = kvcalloc(*n, sizeof(*slot), GFP_KERNEL);
	if (slot)
		xt2_entries_counters_(rs, 0, slot);
out:
	xt2_ruleset_free(rs);
	xt2_image_close(&map);
	return slot;
}

/* @count: the slots of a table that no packet is in any more; becomes what was counted in them. */
static void read_slots(struct xt2k_counters *c, struct xt2_count_ *count, u32 n)
{
	struct xt2_counts sum;
	u32 i;

	for (i = 0; i < n; i++) {
		if (!count[i].bytes)
			continue;
		sum = xt2k_slots_read(c, (struct xt2_counts){ count[i].packets, count[i].bytes });
		count[i].packets = sum.packets;
		count[i].bytes = sum.bytes;
	}
}

/* The table that is replaced: all that can fail is done before. */
static int publish(struct call *call)
{
	struct xt2k_live *old, *live;

	if (call->counts && !call->count)
		return -ENOMEM;
	live = xt2k_table_make(call->t, call->rs, NULL, &call->err);
	if (IS_ERR(live))
		return PTR_ERR(live);
	old = xt2k_table_publish(call->t, live);
	if (call->count && old)
		read_slots(&old->state->counters, call->count, call->counts);
	xt2k_live_free(old);
	xt2k_committed(call->t->net, 0);
	return 0;
}

/* What the call has left in the rules is added to theirs: to all, or to none. */
static int add_counters(struct call *call)
{
	struct xt2k_counters *c = &xt2k_table_live(call->t)->state->counters;
	struct xt2_count_ *slot, *add = NULL;
	int ret = -ENOMEM;
	u32 i, n;

	slot = slots_of(xt2k_table_live(call->t), &n);
	if (slot)
		add = kvcalloc(n, sizeof(*add), GFP_KERNEL);
	if (!add)
		goto out;
	xt2_entries_counters_(call->rs, 0, add);
	for (i = 0; i < n; i++)
		if (slot[i].bytes && xt2k_counters_room(c, slot[i].packets))
			goto out;
	for (i = 0; i < n; i++)
		if (slot[i].bytes)
			xt2k_counters_add(c, slot[i].packets,
					  (struct xt2_counts){ add[i].packets, add[i].bytes });
	ret = 0;
out:
	kvfree(add);
	kvfree(slot);
	return ret;
}

/* --- calls ------------------------------------------------------------------------- */

static bool adds_counters(const struct call *call)
{
	return call->option == IPT_SO_SET_ADD_COUNTERS || call->option == ARPT_SO_SET_ADD_COUNTERS;
}

static bool asks_size(const struct call *call)
{
	return call->option == IPT_SO_GET_INFO || call->option == ARPT_SO_GET_INFO;
}

static int set(struct call *call)
{
	const struct xt2_sockopt_caller caller = {
		.compat = in_compat_syscall(),
		.read = value_read,
		.write = write_later,
		.data = call,
	};
	int ret = load(call, adds_counters(call) ? XT2K_ZERO : XT2K_SLOTS);

	if (!ret)
		ret = xt2_sockopt_set(call->rs, &caller, call->level, call->option,
				      (uintptr_t)call->value, call->len, &call->err);
	if (ret != 1)
		return ret;
	if (!call->t)
		return -ENOENT;
	return adds_counters(call) && xt2k_table_live(call->t) ? add_counters(call) : publish(call);
}

/*
 * Has the kernel a revision of an extension, whatever module it is in?
 * => 0; -ENOENT, -EPROTONOSUPPORT; 1: this is not what is asked
 */
static int revision(struct call *call)
{
	const bool v6 = call->level == IPPROTO_IPV6;
	struct xt_get_revision rev;
	bool target;
	int ret = -ENOENT;
	u8 family;

	if (v6 ? call->option == IP6T_SO_GET_REVISION_MATCH ||
			    call->option == IP6T_SO_GET_REVISION_TARGET
	       : call->option == IPT_SO_GET_REVISION_MATCH ||
			    call->option == IPT_SO_GET_REVISION_TARGET)
		family = v6 ? NFPROTO_IPV6 : NFPROTO_IPV4;
	else if (!v6 && call->option == ARPT_SO_GET_REVISION_TARGET)
		family = NFPROTO_ARP;
	else
		return 1;
	target = call->option == (v6 ? IP6T_SO_GET_REVISION_TARGET : IPT_SO_GET_REVISION_TARGET) ||
		 family == NFPROTO_ARP;
	if (call->len != sizeof(rev))
		return -EINVAL;
	if (call->copied < sizeof(rev))
		return -EFAULT;
	memcpy(&rev, call->copy, sizeof(rev));
	rev.name[sizeof(rev.name) - 1] = '\0';
	try_then_request_module(xt_find_revision(family, rev.name, rev.revision, target, &ret),
				"%s_%s",
				family == NFPROTO_IPV4	 ? "ipt"
				: family == NFPROTO_IPV6 ? "ip6t"
							 : "arpt",
				rev.name);
	return ret < 0 ? ret : 0;
}

static int get(struct call *call)
{
	const struct xt2_sockopt_caller caller = {
		.compat = in_compat_syscall(),
		.read = value_read,
		.write = answer_later,
		.data = call,
	};
	int ret = revision(call);

	if (ret != 1)
		return ret;
	ret = asks_size(call) ? load_uncounted(call) : load(call, XT2K_COUNTED);
	if (!ret)
		ret = xt2_sockopt_get(call->rs, &caller, call->level, call->option,
				      (uintptr_t)call->value, &call->len, &call->err);
	if (ret != 1)
		return ret;
	return call->t ? publish(call) : -ENOENT;
}

static int answer(struct sock *sk, enum xt2k_family family, int option, void __user *value,
		  u32 *len, int (*how)(struct call *call))
{
	struct net *net = sock_net(sk);
	struct xt2k_net *xn = net_generic(net, xt2k_net_id);
	struct call *call;
	int ret, given;

	if (!smp_load_acquire(&xt2k_ready))
		return -ENOPROTOOPT; /* as before the module came */
	if (!ns_capable(net->user_ns, CAP_NET_ADMIN))
		return -EPERM;
	call = kvzalloc(sizeof(*call), GFP_KERNEL);
	if (!call)
		return -ENOMEM;
	call->level = family == XT2K_IPV6 ? IPPROTO_IPV6 : IPPROTO_IP;
	call->option = option;
	call->value = value;
	call->len = *len;
	INIT_LIST_HEAD(&call->answers);
	ret = take_value(call, how == set ? VALUE_MAX : HEAD);
	if (!ret) {
		mutex_lock(&xn->lock);
		ret = find_table(net, family, call);
		if (!ret)
			ret = how(call);
		mutex_unlock(&xn->lock);
		if (!ret)
			give_counters(call);
		given = give_answers(call);
		ret = ret < 0 ? ret : given ?: ret;
	}
	if (ret && call->err.message[0])
		pr_debug("xt2: option %d: %s\n", option, call->err.message);
	*len = call->len;
	end(call);
	return ret;
}

#define OPTIONS(name, family)                                                               \
	static int name##_set(struct sock *sk, int option, sockptr_t value, unsigned int n) \
	{                                                                                   \
		u32 len = n;                                                                \
                                                                                            \
		return answer(sk, family, option, value.user, &len, set);                   \
	}                                                                                   \
                                                                                            \
	static int name##_get(struct sock *sk, int option, void __user *value, int *n)      \
	{                                                                                   \
		return answer(sk, family, option, value, (u32 *)n, get);                    \
	}

OPTIONS(ipt, XT2K_IPV4)
OPTIONS(ip6t, XT2K_IPV6)
OPTIONS(arpt, XT2K_ARP)

#define OPS(family, base, name, NAME)                                                       \
	{                                                                                   \
		.pf = family, .set_optmin = base, .set_optmax = NAME##_SO_SET_MAX + 1,      \
		.set = name##_set, .get_optmin = base, .get_optmax = NAME##_SO_GET_MAX + 1, \
		.get = name##_get, .owner = THIS_MODULE,                                    \
	}

static struct nf_sockopt_ops options[] = {
	OPS(PF_INET, IPT_BASE_CTL, ipt, IPT),
	OPS(PF_INET6, IP6T_BASE_CTL, ip6t, IP6T),
	OPS(PF_INET, ARPT_BASE_CTL, arpt, ARPT),
};

int xt2k_sockopts_init(void)
{
	int i, ret;

	for (i = 0; xt2k_sockopts && i < ARRAY_SIZE(options); i++) {
		ret = nf_register_sockopt(&options[i]);
		if (ret) {
			while (i--)
				nf_unregister_sockopt(&options[i]);
			return ret;
		}
	}
	return 0;
}

void xt2k_sockopts_exit(void)
{
	int i;

	for (i = 0; xt2k_sockopts && i < ARRAY_SIZE(options); i++)
		nf_unregister_sockopt(&options[i]);
}
