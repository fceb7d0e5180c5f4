/* Tests of the tables: that they hang together, and that they have what drivers use at the places that AMD's own headers give. */
#include "pm4/pm4_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NAME_SIZE = 80 };

static const char *data_folder;

static void every_register_that_drivers_set_has_a_row_at_its_place(void **state)
{
    (void)state;
    char path[4096], space[16], name[NAME_SIZE], found[NAME_SIZE];
    unsigned offset, count = 0;
    snprintf(path, sizeof path, "%s/registers.txt", data_folder);
    FILE *list = fopen(path, "r");
    assert_non_null(list);
    while (fscanf(list, "%15s %79s %x", space, name, &offset) == 3) {
        uint32_t ours = 0;
        if (!pm4_register_by_name(name, &ours) || ours != offset)
            fail_msg("%s: 0x%x, should be 0x%x", name, ours, offset);
        assert_string_equal(pm4_register_name(offset, found, sizeof found), name);
        count++;
    }
    fclose(list);
    assert_int_equal(count, 675);
}

static void no_two_registers_share_an_offset(void **state)
{
    (void)state;
    static uint8_t taken[0x10000];
    for (size_t n = 0; n < pm4_register_count(); n++) {
        const struct pm4_register *row = pm4_register_row(n);
        for (uint32_t index = 0; index < row->count; index++) {
            uint32_t offset = row->offset + index * row->stride;
            assert_true(offset < sizeof taken);
            if (taken[offset]++)
                fail_msg("%s%u%s: offset 0x%x is another's", row->head, index, row->tail, offset);
            struct pm4_place place = pm4_register_find(offset);
            assert_ptr_equal(place.row, row);
            assert_int_equal(place.index, index);
        }
    }
}

static void each_name_finds_its_own_register(void **state)
{
    (void)state;
    for (size_t n = 0; n < pm4_register_count(); n++) {
        const struct pm4_register *row = pm4_register_row(n);
        for (uint32_t index = 0; index < row->count; index++) {
            char name[NAME_SIZE];
            uint32_t offset = row->offset + index * row->stride, found = 0;
            assert_true(pm4_register_by_name(pm4_register_name(offset, name, sizeof name), &found));
            if (found != offset)
                fail_msg("%s is at 0x%x and found at 0x%x", name, offset, found);
        }
    }
}

static void names_that_are_no_register_are_not_found(void **state)
{
    (void)state;
    static const char *const names[] = {"",
                                        "CB_COLOR",
                                        "CB_COLOR8_INFO",
                                        "CB_COLOR00_INFO",
                                        "CB_COLOR-1_INFO",
                                        "CB_COLOR+1_INFO",
                                        "CB_COLOR 1_INFO",
                                        "CB_COLOR0_INFO_",
                                        "PA_CL_VPORT_XSCALE_0",
                                        "PA_CL_VPORT_XSCALE_16",
                                        "PA_CL_VPORT_XSCALE_",
                                        "CB_COLOR4294967296_INFO",
                                        "COMPUTE_PGM_LO_1",
                                        "COMPUTE_PGM_L"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        uint32_t offset;
        if (pm4_register_by_name(names[n], &offset))
            fail_msg("'%s' was found at 0x%x", names[n], offset);
    }
    char text[NAME_SIZE];
    assert_null(pm4_register_find(0).row);
    assert_null(pm4_register_find(UINT32_MAX).row);
    assert_string_equal(pm4_register_name(0x1234567, text, sizeof text), "0x1234567");
}

static void fields_of_a_register_do_not_overlap(void **state)
{
    (void)state;
    for (size_t n = 0; n < pm4_register_count(); n++) {
        const struct pm4_register *row = pm4_register_row(n);
        size_t count;
        uint64_t taken = 0;
        const struct pm4_register_field *fields = pm4_register_fields(row, &count);
        for (size_t k = 0; k < count; k++) {
            assert_true(fields[k].bits.first <= fields[k].bits.last && fields[k].bits.last < 32);
            uint64_t bits = base_field_mask(fields[k].bits) << fields[k].bits.first;
            if (taken & bits)
                fail_msg("%s%s: %s overlaps another field", row->head, row->tail, fields[k].name);
            taken |= bits;
        }
    }
}

/* What the guide's chapter on program resources says of the word, so that the constants are bound to their meaning. */
static void compute_resource_fields_are_where_the_guide_has_them(void **state)
{
    (void)state;
    assert_int_equal(base_field_get(0x602c0001, PM4_F_COMPUTE_PGM_RSRC1_VGPRS), 1);
    assert_int_equal(base_field_get(0x602c0001, PM4_F_COMPUTE_PGM_RSRC1_FLOAT_MODE), 0xc0);
    assert_int_equal(base_field_get(0x602c0001, PM4_F_COMPUTE_PGM_RSRC1_WGP_MODE), 1);
    assert_int_equal(base_field_get(0x0000808a, PM4_F_COMPUTE_PGM_RSRC2_USER_SGPR), 5);
    assert_int_equal(base_field_get(0x0000808a, PM4_F_COMPUTE_PGM_RSRC2_TGID_X_EN), 1);
    assert_int_equal(base_field_get(0x0000808a, PM4_F_COMPUTE_PGM_RSRC2_LDS_SIZE), 1);
    assert_int_equal(base_field_get(0x00080008, PM4_F_COMPUTE_NUM_THREAD_X_NUM_THREAD_PARTIAL), 8);
    assert_int_equal(base_field_get(0x8045, PM4_F_COMPUTE_DISPATCH_INITIATOR_CS_W32_EN), 1);
    assert_int_equal(base_field_get(0x20, PM4_F_COMPUTE_DISPATCH_INITIATOR_USE_THREAD_DIMENSIONS), 1);
}

/* The dword offsets in the SH space that the capture format uses to say whose program it is. */
static void programs_start_where_captures_say(void **state)
{
    (void)state;
    assert_int_equal(PM4_REG_SPI_SHADER_PGM_LO_PS - PM4_SH_FIRST, 0x8);
    assert_int_equal(PM4_REG_SPI_SHADER_PGM_LO_VS - PM4_SH_FIRST, 0x48);
    assert_int_equal(PM4_REG_SPI_SHADER_PGM_LO_ES - PM4_SH_FIRST, 0xc8);
    assert_int_equal(PM4_REG_SPI_SHADER_PGM_LO_LS - PM4_SH_FIRST, 0x148);
    assert_int_equal(PM4_REG_COMPUTE_PGM_LO - PM4_SH_FIRST, 0x20c);
}

static void every_packet_seen_from_drivers_has_a_row(void **state)
{
    (void)state;
    static const char *const seen[] = {
        "NOP",
        "SET_SH_REG",
        "SET_CONTEXT_REG",
        "DMA_DATA",
        "DRAW_INDEX_2",
        "DRAW_INDEX_AUTO",
        "SET_UCONFIG_REG",
        "EVENT_WRITE",
        "WRITE_DATA",
        "SET_SH_REG_INDEX",
        "WAIT_REG_MEM",
        "SET_UCONFIG_REG_INDEX",
        "RELEASE_MEM",
        "PFP_SYNC_ME",
        "NUM_INSTANCES",
        "DISPATCH_DIRECT",
        "ACQUIRE_MEM",
        "CONTEXT_CONTROL",
        "CLEAR_STATE",
        "INDIRECT_BUFFER",
        "COPY_DATA",
        "SET_PREDICATION",
        "SET_BASE",
        "LOAD_CONTEXT_REG_INDEX",
        "INDEX_BASE",
        "INDEX_BUFFER_SIZE",
        "DISPATCH_INDIRECT",
        "STRMOUT_BUFFER_UPDATE",
        "COND_EXEC",
        "DRAW_INDIRECT_MULTI",
        "DRAW_INDEX_INDIRECT_MULTI",
    };
    for (size_t n = 0; n < sizeof seen / sizeof seen[0]; n++) {
        unsigned opcode = 0;
        const struct pm4_row *row = NULL;
        for (; opcode < 256 && (!row || strcmp(row->name, seen[n]) != 0); opcode++)
            row = pm4_row_find(opcode, PM4_RING_GRAPHICS);
        if (!row || strcmp(row->name, seen[n]) != 0)
            fail_msg("%s has no row", seen[n]);
        assert_true(row->rings & 1u << PM4_RING_GRAPHICS);
    }
}

static void every_row_is_found_by_its_opcode_on_its_rings(void **state)
{
    (void)state;
    for (unsigned id = 0; id < PM4_PACKET_COUNT; id++) {
        const struct pm4_row *row = pm4_row((enum pm4_packet_id)id);
        assert_int_equal(pm4_row_id(row), id);
        assert_true(row->least <= row->most);
        for (unsigned ring = 0; ring < PM4_RING_COUNT; ring++) {
            if ((row->rings & 1u << ring) && pm4_row_find(row->opcode, (enum pm4_ring)ring) != row)
                fail_msg("%s shares opcode 0x%x on the %s ring", row->name, row->opcode, pm4_ring_name((enum pm4_ring)ring));
        }
    }
    assert_null(pm4_row_find(256, PM4_RING_GRAPHICS));
}

static void check_fields(const char *name, struct pm4_fields fields, unsigned most)
{
    for (size_t n = 0; n < fields.count; n++) {
        const struct pm4_field_row *row = &fields.rows[n];
        unsigned end = row->word + (row->kind == PM4_KIND_QUAD ? 2u : 1u);
        if (end > most || row->first > 31 || row->last > 31 || (row->kind == PM4_KIND_BITS && row->first > row->last))
            fail_msg("%s: field %s is not inside the packet", name, row->name);
        for (size_t k = n + 1; k < fields.count; k++)
            assert_string_not_equal(row->name, fields.rows[k].name);
    }
}

static void fields_lie_inside_their_packets(void **state)
{
    (void)state;
    for (unsigned id = 0; id < PM4_PACKET_COUNT; id++) {
        const struct pm4_row *row = pm4_row((enum pm4_packet_id)id);
        check_fields(row->name, pm4_packet_fields((enum pm4_packet_id)id), row->most);
    }
    for (unsigned id = 0; id < PM4_SDMA_COUNT; id++) {
        const struct pm4_sdma_row *row = pm4_sdma_row((enum pm4_sdma_id)id);
        check_fields(row->name, pm4_sdma_fields((enum pm4_sdma_id)id), row->words + 3u); /* 3: what DCC adds */
    }
}

static void values_have_names_and_others_have_none(void **state)
{
    (void)state;
    assert_string_equal(pm4_value_name(PM4_L_EVENT, 0x14), "CACHE_FLUSH_AND_INV_TS_EVENT");
    assert_string_equal(pm4_value_name(PM4_L_COLOR_FORMAT, 10), "8_8_8_8");
    assert_string_equal(pm4_value_name(PM4_L_COMPARE, 3), "EQUAL");
    assert_null(pm4_value_name(PM4_L_COMPARE, 7));
    assert_null(pm4_value_name(PM4_L_NONE, 0));
    assert_null(pm4_value_name(PM4_L_REGISTER, 0));
    assert_null(pm4_value_name(PM4_LIST_COUNT, 0));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_register_that_drivers_set_has_a_row_at_its_place),
        cmocka_unit_test(no_two_registers_share_an_offset),
        cmocka_unit_test(each_name_finds_its_own_register),
        cmocka_unit_test(names_that_are_no_register_are_not_found),
        cmocka_unit_test(fields_of_a_register_do_not_overlap),
        cmocka_unit_test(compute_resource_fields_are_where_the_guide_has_them),
        cmocka_unit_test(programs_start_where_captures_say),
        cmocka_unit_test(every_packet_seen_from_drivers_has_a_row),
        cmocka_unit_test(every_row_is_found_by_its_opcode_on_its_rings),
        cmocka_unit_test(fields_lie_inside_their_packets),
        cmocka_unit_test(values_have_names_and_others_have_none),
    };
    data_folder = argc > 1 ? argv[1] : ".";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
