/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-retire.c - libxt2/change/retire.c */
#include "libxt2/change/retire.h"

#include "engine/index/patched.h"
#include "libxt2/change/patch-edit.h"
#include "tests/lib/fail-alloc.h"
#include "tests/unit/inplace-case.h"

static u64 up(u64 size)
{
	return (size + 7) & ~7ull;
}

static const struct xt2_chain *chain_of(const struct inplace_case *c)
{
	return xt2_image_chain(c->img, xt2_image_root(c->img), (u32)c->longer);
}

/* => what a compiled chain has, with its lines */
static u64 bytes_of(const struct xt2_chain *c)
{
	assert_true(c->lines);
	return up(c->size) + up(c->rules * sizeof(u32));
}

static void a_compiled_chain_goes_with_its_lines(void **unused)
{
	struct inplace_case c = inplace_open(0, true);
	struct xt2_space *s = &c.rs->inplace->space;

	assert_int_equal(xt2_chain_retire(s, xt2_offset(c.img, chain_of(&c))), 0);
	assert_int_equal(s->waiting, bytes_of(chain_of(&c)));
	xt2_space_abort(s);
	assert_int_equal(s->waiting, 0);
	inplace_close(&c);
}

/* => offset of the chain with many changes */
static u32 patch(struct inplace_case *c, struct xt2_space *s)
{
	struct xt2_patch_edit e;
	struct rule_build b;
	u32 at, i;

	assert_int_equal(xt2_patch_begin(&e, s, xt2_offset(c->img, chain_of(c)), 2), 0);
	for (i = 0; i < 100; i++) {
		const u32 end = xt2_offset(c->img, xt2_chain_tail(e.compiled));

		assert_int_equal(xt2_patch_insert(&e, end, inplace_rule(&b, 1000 + i), i, &at), 0);
		if (i % 3 == 0)
			assert_int_equal(xt2_patch_delete(&e, at), 0);
	}
	assert_int_equal(xt2_patch_end(&e, &at), 0);
	xt2_space_commit(s, 2);
	xt2_space_reclaim(s, 2);
	return at;
}

static void a_patched_chain_goes_with_all_its_parts(void **unused)
{
	struct inplace_case c = inplace_open(0, true);
	struct xt2_space *s = &c.rs->inplace->space;
	const u64 before = c.img->size;
	const u32 at = patch(&c, s);

	assert_int_equal(xt2_chain_retire(s, at), 0);
	xt2_space_commit(s, 3);
	xt2_space_reclaim(s, 3);
	assert_int_equal(s->spare, c.img->size - before + bytes_of(chain_of(&c)));
	inplace_close(&c);
}

static void a_chain_goes_a_little_at_a_time(void **unused)
{
	struct inplace_case c = inplace_open(0, true);
	struct xt2_space *s = &c.rs->inplace->space;
	const u64 before = c.img->size;
	struct xt2_retiring r = { .chain = patch(&c, s) };
	u32 n;

	for (n = 0; r.chain; n++)
		xt2_retire_some(s, &r);
	assert_true(n > 2);
	xt2_space_reclaim(s, xt2_image_root(c.img)->generation);
	assert_int_equal(s->spare, c.img->size - before + bytes_of(chain_of(&c)));
	xt2_retire_some(s, &r); /* there is none */
	inplace_close(&c);
}

static void without_memory_it_fails(void **unused)
{
	struct inplace_case c = inplace_open(0, true);
	struct xt2_space *s = &c.rs->inplace->space;
	const u32 at = patch(&c, s);
	const u64 spare = s->spare;
	int ret = -ENOMEM;
	u32 n;

	for (n = 1; ret; n++) {
		assert_int_equal(ret, -ENOMEM);
		fail_alloc(n);
		ret = xt2_chain_retire(s, at);
		fail_alloc(0);
		xt2_space_abort(s);
		assert_int_equal(s->waiting, 0);
		assert_int_equal(s->spare, spare);
	}
	assert_true(n > 2);
	inplace_close(&c);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(a_compiled_chain_goes_with_its_lines),
	cmocka_unit_test(a_patched_chain_goes_with_all_its_parts),
	cmocka_unit_test(a_chain_goes_a_little_at_a_time),
	cmocka_unit_test(without_memory_it_fails),
};

UNITS(cases)
