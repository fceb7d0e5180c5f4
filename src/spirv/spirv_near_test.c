/* Which programs are for a fast module: those that have done nothing that others see when an access may yet leave its window. */
#include "spirv/spirv_testing.h"

#define HEAD  "func wave32 entry=0x0\n"
#define FIRST "block b0 pc=0x0 end=0x20 guest=1\n"
#define LOAD  "v2 = load global bytes=4 saddr, addr v0, base s0:s1 if exec\n"
#define STORE "store global bytes=4 saddr store, addr v0, base s2:s3, data v2 if exec\n"
#define END   "end\n"

struct made {
    bool alone, fast, certain;
    uint32_t atomics;             /* OpAtomicOr */
    uint32_t any_atomics, stores; /* all of that kind, and OpStore */
    uint32_t slots, preloads, merged;
    struct spirv_reach reaches[4];
    uint32_t reach_count;
    struct spirv_slot slot[4];
};

/* Instructions from the one to the other. */
static uint32_t count_of(const struct spirv_module *m, uint32_t first, uint32_t last)
{
    enum { HEAD_WORDS = 5, OP = 0xffff };
    uint32_t count = 0;
    for (size_t at = HEAD_WORDS; at < m->word_count; at += m->words[at] >> 16)
        count += (m->words[at] & OP) >= first && (m->words[at] & OP) <= last;
    return count;
}

static struct made make_of(const char *text, uint32_t user_scalars, unsigned waves, bool fast, bool marks, bool certain)
{
    enum { STORE_OP = 62, ATOMIC_LOAD = 227, ATOMIC_OR = 241, ATOMIC_XOR = 242 };
    enum { GROUP = 1024, USER_AT = 1 };
    const struct spirv_options options = {.subgroup = 8,
                                          .waves = waves,
                                          .rsrc2 = user_scalars << USER_AT,
                                          .alone = GROUP,
                                          .full = true,
                                          .fast = fast,
                                          .marks = marks && !fast,
                                          .marks_near = marks && fast,
                                          .certain = certain};
    struct spirv_module *m = testing_make(text, &options);
    struct made made = {.alone = m->alone,
                        .atomics = count_of(m, ATOMIC_OR, ATOMIC_OR),
                        .any_atomics = count_of(m, ATOMIC_LOAD, ATOMIC_XOR),
                        .stores = count_of(m, STORE_OP, STORE_OP),
                        .fast = m->fast,
                        .certain = m->certain,
                        .slots = m->slot_count,
                        .preloads = m->preload_count,
                        .merged = m->merged,
                        .reach_count = m->reach_count};
    memcpy(made.reaches, m->reaches, (m->reach_count < 4 ? m->reach_count : 4) * sizeof *m->reaches);
    memcpy(made.slot, m->slots, (m->slot_count < 4 ? m->slot_count : 4) * sizeof *m->slots);
    spirv_module_destroy(m);
    return made;
}

static struct made make_as(const char *text, uint32_t user_scalars, unsigned waves, bool marks, bool certain)
{
    return make_of(text, user_scalars, waves, true, marks, certain);
}

static struct made make(const char *text, uint32_t user_scalars, unsigned waves)
{
    return make_as(text, user_scalars, waves, false, false);
}

static void what_loads_and_then_stores_is_fast_and_each_base_has_its_slot(void **state)
{
    (void)state;
    struct made m = make(HEAD FIRST LOAD STORE END, 4, 1);
    assert_true(m.alone && m.fast);
    assert_int_equal(m.slots, 2);
    assert_int_equal(m.reach_count, 2);
    assert_int_equal(m.reaches[0].slot, 0);
    assert_true(m.reaches[0].load && !m.reaches[0].store);
    assert_int_equal(m.reaches[1].slot, 1);
    assert_true(m.reaches[1].store && !m.reaches[1].load);
    assert_true(m.slot[0].loads && !m.slot[0].stores && m.slot[1].stores && !m.slot[1].loads);
    assert_true(m.slot[1].known && m.slot[1].base[0].kind == SPIRV_USER_DATA && m.slot[1].base[0].value == 2);
}

static void what_loads_after_a_store_is_not_fast(void **state)
{
    (void)state;
    struct made m = make(HEAD FIRST STORE LOAD STORE END, 4, 1);
    assert_true(m.alone && !m.fast);
    assert_int_equal(m.slots, 2);
}

static void what_stores_in_a_loop_is_not_fast(void **state)
{
    (void)state;
    struct made m = make(HEAD "block b0 pc=0x0 end=0x10 guest=1\njump b1@0x10\n"
                              "block b1 pc=0x10 end=0x20 guest=1\n" LOAD STORE "s4 = add_u32 s4, 0x1\nscc = cmp_lt_u32 s4, 0x9\n"
                              "branch scc ? b1@0x10 back : b2@0x20\nblock b2 pc=0x20 end=0x30 guest=1\n" END,
                         5, 1);
    assert_false(m.fast);
}

static void a_base_that_the_host_cannot_know_is_not_fast(void **state)
{
    (void)state;
    struct made m = make(HEAD FIRST "s0 = add_u32 s0, 0x10\n" LOAD STORE END, 4, 1);
    assert_false(m.fast);
    assert_false(m.slot[0].known);
}

static void addresses_of_the_lanes_own_share_a_slot(void **state)
{
    (void)state;
    struct made m = make(HEAD FIRST "v4 = load global bytes=4, addr v0:v1 if exec\nv5 = load global bytes=4, addr v2:v3 if exec\n"
                                    "store global bytes=4 store, addr v4:v5, data v4 if exec\n" END,
                         4, 1);
    assert_int_equal(m.slots, 1);
    assert_int_equal(m.slot[0].base_words, 0);
    assert_false(m.fast);
}

static void small_groups_share_one_of_the_hosts_unless_they_have_barriers(void **state)
{
    (void)state;
    assert_int_equal(make(HEAD FIRST LOAD STORE END, 4, 2).merged, 4);
    assert_int_equal(make(HEAD FIRST LOAD "barrier\n" STORE END, 4, 2).merged, 1);
}

static void a_group_that_goes_in_step_is_fast_with_its_barriers(void **state)
{
    (void)state;
    assert_true(make(HEAD FIRST LOAD "store lds bytes=4 store, addr v0, data v2 if exec\nbarrier\n"
                                     "v2 = load lds bytes=4, addr v1 if exec\n" STORE END,
                     4, 2)
                    .fast);
}

static void words_that_the_user_data_leads_to_are_read_beforehand(void **state)
{
    (void)state;
    struct made m = make(HEAD FIRST "s4:s5 = load scalar bytes=8 at=16, base s0:s1\n"
                                    "v2 = load global bytes=4 saddr, addr v0, base s4:s5 if exec\n" STORE END,
                         4, 1);
    assert_true(m.fast);
    assert_int_equal(m.preloads, 1);
    assert_int_equal(m.reaches[0].slot, SPIRV_PRELOADED);
    assert_int_equal(m.slot[0].base[0].kind, SPIRV_WORD);
}

static void accesses_of_a_buffer_by_a_lanes_offset_alone_are_fast(void **state)
{
    (void)state;
    struct made m = make(HEAD FIRST "store buffer bytes=4 offen store, desc s4:s7, addr v0, data v2 if exec\n" END, 8, 1);
    assert_true(m.fast && m.slot[0].buffer && m.slot[0].known);
    assert_int_equal(m.slot[0].base_words, 4);
    assert_false(make(HEAD FIRST "store buffer bytes=4 idxen store, desc s4:s7, index v0, data v2 if exec\n" END, 8, 1).fast);
    assert_false(
        make(HEAD FIRST "store buffer bytes=4 offen store, desc s4:s7, addr v0, base s2, data v2 if exec\n" END, 8, 1).fast);
}

static void a_module_whose_lanes_stay_in_their_windows_tells_of_none(void **state)
{
    (void)state;
    static const char copy[] = HEAD FIRST "v2 = load global bytes=4 scale=2 saddr, addr v0, base s0:s1 if exec\n"
                                          "store global bytes=4 scale=2 saddr store, addr v0, base s2:s3, data v2 if exec\n" END;
    struct made asks = make(copy, 4, 1), certain = make_as(copy, 4, 1, false, true);
    struct made marks = make_as(copy, 4, 1, true, true);
    assert_true(asks.fast && certain.certain && marks.certain);
    assert_int_equal(asks.atomics, 1);
    assert_int_equal(certain.atomics, 0);
    assert_int_equal(marks.atomics, 0);
}

/* D809: in a module that searches, a store has no more atomic operations than a load; in a fast one, a mark is one more plain store. */
static void stores_are_marked_with_plain_stores(void **state)
{
    (void)state;
    static const char load[] = HEAD FIRST LOAD END, store[] = HEAD FIRST STORE END;
    struct made loads = make_of(load, 4, 1, false, true, false), stores = make_of(store, 4, 1, false, true, false);
    assert_false(loads.fast || stores.fast);
    assert_int_equal(stores.any_atomics, loads.any_atomics);
    assert_true(stores.stores > make_of(store, 4, 1, false, false, false).stores);
    struct made plain = make_as(store, 4, 1, false, false), marks = make_as(store, 4, 1, true, false);
    assert_true(plain.fast && marks.fast);
    assert_int_equal(marks.any_atomics, plain.any_atomics);
    assert_true(marks.stores > plain.stores);
}

static void masks_take_half_of_the_windows(void **state)
{
    (void)state;
    static const char four[] = HEAD FIRST LOAD "v3 = load global bytes=4 saddr, addr v0, base s4:s5 if exec\n"
                                               "v4 = load global bytes=4 saddr, addr v0, base s6:s7 if exec\n" STORE END;
    static const char five[] = HEAD FIRST LOAD "v3 = load global bytes=4 saddr, addr v0, base s4:s5 if exec\n"
                                               "v4 = load global bytes=4 saddr, addr v0, base s6:s7 if exec\n"
                                               "v5 = load global bytes=4 saddr, addr v0, base s8:s9 if exec\n" STORE END;
    assert_true(make_as(four, 10, 1, true, false).fast);
    assert_false(make_as(five, 10, 1, true, false).fast);
    assert_true(make(five, 10, 1).fast);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_loads_and_then_stores_is_fast_and_each_base_has_its_slot),
        cmocka_unit_test(what_loads_after_a_store_is_not_fast),
        cmocka_unit_test(what_stores_in_a_loop_is_not_fast),
        cmocka_unit_test(a_base_that_the_host_cannot_know_is_not_fast),
        cmocka_unit_test(addresses_of_the_lanes_own_share_a_slot),
        cmocka_unit_test(small_groups_share_one_of_the_hosts_unless_they_have_barriers),
        cmocka_unit_test(a_group_that_goes_in_step_is_fast_with_its_barriers),
        cmocka_unit_test(words_that_the_user_data_leads_to_are_read_beforehand),
        cmocka_unit_test(accesses_of_a_buffer_by_a_lanes_offset_alone_are_fast),
        cmocka_unit_test(a_module_whose_lanes_stay_in_their_windows_tells_of_none),
        cmocka_unit_test(stores_are_marked_with_plain_stores),
        cmocka_unit_test(masks_take_half_of_the_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
