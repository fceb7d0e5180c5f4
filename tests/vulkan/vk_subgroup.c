/* Programs about subgroups. Their rows of raw values depend on the subgroup's size, so the host works each of them out from the
 * places that the invocations report; what does not depend on it is compared between devices. */
#include <stdlib.h>
#include <string.h>

#include "vk_harness.h"

enum { GROUP = 128, GROUPS = 12, COUNT = GROUP * GROUPS, SIZE_MAX_LANES = 128, ROWS_MAX = 36 };

/* A subgroup as an invocation of it sees it. */
struct view {
    uint32_t size, lane, group, number; /* number: of the subgroup in its group */
    uint32_t values[SIZE_MAX_LANES];    /* of each lane */
};

/* What an invocation must get in a row; false where Vulkan leaves it open. */
typedef bool (*row_rule)(const struct view *view, uint32_t row, uint32_t *want);

struct subgroup_case {
    const char *shader;
    row_rule rule;
    uint32_t rows, free_words;
    VkSubgroupFeatureFlags needs;
};

static uint32_t popcount(const bool *lanes, uint32_t from, uint32_t to)
{
    uint32_t count = 0;
    for (uint32_t i = from; i < to; i++)
        count += lanes[i];
    return count;
}

/* The first of the lanes; size where there is none. */
static uint32_t first_lane(const struct view *view, const bool *lanes)
{
    uint32_t lane = 0;
    while (lane < view->size && !lanes[lane])
        lane++;
    return lane;
}

static void lanes_where(const struct view *view, uint32_t mask, uint32_t equals, bool *lanes)
{
    for (uint32_t i = 0; i < view->size; i++)
        lanes[i] = (view->values[i] & mask) == equals;
}

/* A word of a ballot. */
static uint32_t ballot_word(const struct view *view, const bool *lanes, uint32_t word)
{
    uint32_t bits = 0;
    for (uint32_t i = 32 * word; i < view->size && i < 32 * word + 32; i++)
        bits |= (uint32_t)lanes[i] << (i & 31);
    return bits;
}

static bool basic_rule(const struct view *view, uint32_t row, uint32_t *want)
{
    bool lanes[SIZE_MAX_LANES] = {false};
    lanes_where(view, 3, 0, lanes);
    bool taken = !lanes[view->lane];
    for (uint32_t i = 0; i < view->size; i++)
        lanes[i] = lanes[i] != taken;
    switch (row) {
    case 3: *want = view->lane == 0; return true;
    case 4: *want = (GROUP + view->size - 1) / view->size; return true;
    case 5: *want = view->values[(view->lane + 1) % view->size]; return true;
    default: *want = (first_lane(view, lanes) == view->lane ? 1 : 0) + (taken ? 0 : 2); return true;
    }
}

struct vote {
    bool all, any, equal;
};

/* Of the lanes taken: whether value & mask is not zero in all, is zero in any, is equal in all for a second and third mask. */
static struct vote count_votes(const struct view *view, const bool *taken, uint32_t all, uint32_t any, uint32_t equal)
{
    struct vote vote = {true, false, true};
    uint32_t first = view->values[first_lane(view, taken)];
    for (uint32_t i = 0; i < view->size; i++) {
        if (!taken[i])
            continue;
        vote.all &= (view->values[i] & all) != 0;
        vote.any |= (view->values[i] & any) == 0;
        vote.equal &= (view->values[i] & equal) == (first & equal);
    }
    return vote;
}

static bool vote_rule(const struct view *view, uint32_t row, uint32_t *want)
{
    bool lanes[SIZE_MAX_LANES] = {false}, every[SIZE_MAX_LANES] = {false};
    for (uint32_t i = 0; i < view->size; i++)
        every[i] = true;
    struct vote vote = count_votes(view, every, 0x1f00, 0xf000, 0x80000);
    lanes_where(view, 0x30000, 0x10000, lanes);
    switch (row) {
    case 3: *want = vote.all; return true;
    case 4: *want = vote.any; return true;
    case 5: *want = vote.equal; return true;
    case 6: *want = 1; return true;
    default: break;
    }
    if (lanes[view->lane]) {
        vote = count_votes(view, lanes, 0x700000, 0xf00000, 0x3000000);
        *want = vote.all + 2u * vote.any + 4u * vote.equal;
    } else {
        for (uint32_t i = 0; i < view->size; i++)
            lanes[i] = !lanes[i];
        vote = count_votes(view, lanes, 0, 0, 0x30000);
        *want = vote.equal ? 8 : 16;
    }
    return true;
}

/* The masks of a lane: equal, less or equal, greater. */
static uint32_t mask_word(const struct view *view, uint32_t kind, uint32_t word)
{
    bool lanes[SIZE_MAX_LANES] = {false};
    for (uint32_t i = 0; i < view->size; i++)
        lanes[i] = kind == 0 ? i == view->lane : kind == 1 ? i <= view->lane : i > view->lane;
    return word < 2 ? ballot_word(view, lanes, word) : 0;
}

static bool ballot_rule(const struct view *view, uint32_t row, uint32_t *want)
{
    bool odd[SIZE_MAX_LANES] = {false}, taken[SIZE_MAX_LANES] = {false}, left[SIZE_MAX_LANES] = {false};
    lanes_where(view, 1, 1, odd);
    lanes_where(view, 0x30, 0x30, taken);
    lanes_where(view, 0x70, 0x70, left);
    uint32_t lane = view->lane, value = view->values[lane], last = view->size;
    while (last > 0 && !odd[last - 1])
        last--;
    if (row >= 16 && row < 25) {
        *want = mask_word(view, (row - 16) / 3, (row - 16) % 3);
        return true;
    }
    if (row >= 25 && row < 28) {
        *want = taken[lane] && row < 27 ? ballot_word(view, left, row - 25) : 0;
        return true;
    }
    switch (row) {
    case 3:
    case 4: *want = ballot_word(view, odd, row - 3); return true;
    case 5: *want = 0; return true;
    case 6: *want = popcount(odd, 0, view->size); return true;
    case 7: *want = popcount(odd, 0, lane + 1); return true;
    case 8: *want = popcount(odd, 0, lane); return true;
    case 9: *want = first_lane(view, odd); return last > 0; /* open for an empty ballot */
    case 10: *want = last - 1; return last > 0;
    case 11: *want = odd[lane]; return true;
    case 12: *want = odd[(value >> 8) % view->size]; return true;
    case 13: *want = view->values[3]; return true;
    case 14: *want = view->values[view->size - 1 - view->group % 4]; return true;
    case 15: *want = view->values[0]; return true;
    case 28: *want = taken[lane] ? view->values[first_lane(view, taken)] : 0; return true;
    default: *want = lane | (view->size - lane) << 8; return true;
    }
}

static bool shuffle_rule(const struct view *view, uint32_t row, uint32_t *want)
{
    uint32_t lane = view->lane, value = view->values[lane], from;
    switch (row) {
    case 3: from = (value >> 5) % view->size; break;
    case 4: from = view->size - 1 - lane; break;
    case 5: from = lane ^ 1; break;
    case 6: from = lane ^ view->size / 2; break;
    case 7: from = lane ^ (view->size / 2 | 2); break;
    default:
        from = (value & 3) == 2 ? lane : (lane ^ 4) | 1;
        /* What an invocation reads of one that the branch left out is open. */
        if ((value & 3) != 2 && (view->values[from] & 3) == 2)
            return false;
        break;
    }
    *want = view->values[from];
    return true;
}

static bool relative_rule(const struct view *view, uint32_t row, uint32_t *want)
{
    uint32_t lane = view->lane, from;
    switch (row) {
    case 3: from = lane - 1; break;
    case 4: from = lane + 1; break;
    case 5: from = lane - 3; break;
    case 6: from = lane + view->size / 2; break;
    case 7: from = lane - (view->size - 1); break;
    default: from = lane + view->group % 8; break;
    }
    if (from >= view->size)
        return false;
    *want = view->values[from];
    return true;
}

/* --- arithmetic --- */

enum kind { KIND_UINT, KIND_INT, KIND_FLOAT };
enum operation { OP_ADD, OP_MIN, OP_MAX, OP_MUL, OP_AND, OP_OR, OP_XOR };

static float as_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

static uint32_t as_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

static uint32_t join_floats(enum operation op, float a, float b)
{
    switch (op) {
    case OP_ADD: return as_bits(a + b);
    case OP_MUL: return as_bits(a * b);
    case OP_MIN: return as_bits(a < b ? a : b);
    default: return as_bits(a > b ? a : b);
    }
}

static uint32_t join(enum kind kind, enum operation op, uint32_t a, uint32_t b)
{
    if (kind == KIND_FLOAT)
        return join_floats(op, as_float(a), as_float(b));
    bool less = kind == KIND_INT ? (int32_t)a < (int32_t)b : a < b;
    switch (op) {
    case OP_ADD: return a + b;
    case OP_MIN: return less ? a : b;
    case OP_MAX: return less ? b : a;
    case OP_MUL: return a * b;
    case OP_AND: return a & b;
    case OP_OR: return a | b;
    default: return a ^ b;
    }
}

static uint32_t identity(enum kind kind, enum operation op)
{
    static const uint32_t of_integers[2][7] = {{0, ~0u, 0, 1, ~0u, 0, 0}, {0, 0x7fffffff, 0x80000000, 1, ~0u, 0, 0}};
    static const uint32_t of_floats[4] = {0, 0x7f800000, 0xff800000, 0x3f800000};
    return kind == KIND_FLOAT ? of_floats[op & 3] : of_integers[kind][op];
}

static uint32_t from_word(enum kind kind, uint32_t word)
{
    static const float parts[4] = {0.5f, 1.0f, 2.0f, -1.0f};
    return kind == KIND_FLOAT ? as_bits(parts[word & 3]) : word;
}

static bool arithmetic_rule(const struct view *view, enum kind kind, uint32_t row, uint32_t *want)
{
    bool branch = row >= 24;
    uint32_t place = row - (branch ? 24 : 3), form = place % 3, lane = view->lane;
    enum operation op = (enum operation)(place / 3);
    if (kind == KIND_FLOAT && op > OP_MUL)
        return false; /* no such rows */
    uint32_t total = identity(kind, op), end = form == 0 ? view->size : form == 1 ? lane + 1 : lane;
    for (uint32_t i = 0; i < end; i++)
        if (!branch || (view->values[i] & 0x3000) != 0x1000)
            total = join(kind, op, total, from_word(kind, view->values[i]));
    *want = branch && (view->values[lane] & 0x3000) == 0x1000 ? 0 : total;
    return true;
}

static bool uint_rule(const struct view *view, uint32_t row, uint32_t *want)
{
    return arithmetic_rule(view, KIND_UINT, row, want);
}

static bool int_rule(const struct view *view, uint32_t row, uint32_t *want)
{
    return arithmetic_rule(view, KIND_INT, row, want);
}

static bool float_rule(const struct view *view, uint32_t row, uint32_t *want)
{
    return arithmetic_rule(view, KIND_FLOAT, row, want);
}

/* --- running and checking --- */

/* The subgroup of an invocation, from the places that all invocations of its group reported; false where they make no sense. */
static bool make_view(const uint32_t *raw, const uint32_t *values, uint32_t me, struct view *view)
{
    const uint32_t *sizes = raw, *numbers = raw + COUNT, *lanes = raw + 2 * COUNT;
    uint32_t base = me / GROUP * GROUP, seen = 0;
    *view = (struct view){.size = sizes[me], .lane = lanes[me], .group = me / GROUP, .number = numbers[me]};
    if (view->size < 4 || view->size > SIZE_MAX_LANES || view->lane >= view->size)
        return false;
    bool found[SIZE_MAX_LANES] = {false};
    for (uint32_t i = base; i < base + GROUP; i++) {
        if (numbers[i] != view->number)
            continue;
        if (sizes[i] != view->size || lanes[i] >= view->size || found[lanes[i]])
            return false;
        found[lanes[i]] = true;
        view->values[lanes[i]] = values[i];
        seen++;
    }
    return seen == view->size;
}

static void check_rows(struct vk_context *vk, const struct subgroup_case *test, const uint32_t *raw, const uint32_t *values)
{
    for (uint32_t me = 0; me < COUNT; me++) {
        struct view view;
        if (!make_view(raw, values, me, &view)) {
            vk_check(vk, false, "invocation %u: subgroup %u of size %u, lane %u make no full subgroup", me, view.number,
                     view.size, view.lane);
            return;
        }
        for (uint32_t row = 3; row < test->rows; row++) {
            uint32_t want, got = raw[row * COUNT + me];
            if (!test->rule(&view, row, &want) || got == want)
                continue;
            vk_check(vk, false, "row %u, invocation %u (lane %u of %u): got 0x%08x, expected 0x%08x", row, me, view.lane,
                     view.size, got, want);
            if (vk->failures > 20)
                return;
        }
    }
}

static void run_case(struct vk_context *vk, const struct subgroup_case *test)
{
    vk_need((vk->p11.subgroupSupportedOperations & test->needs) == test->needs, "this class of subgroup operations");
    static uint32_t values[COUNT], raw[ROWS_MAX * COUNT], ones[COUNT * 3];
    uint32_t free_words = test->free_words;
    vk_random_words(values, COUNT, 300);
    memset(ones, 0xff, sizeof ones);
    struct vk_buffer *buffers[3] = {vk_buffer_make(vk, sizeof values, values, VK_PLACE_HOST),
                                    vk_buffer_make(vk, 4 * (VkDeviceSize)test->rows * COUNT, NULL, VK_PLACE_HOST),
                                    vk_buffer_make(vk, 4 * (VkDeviceSize)free_words, ones, VK_PLACE_LOCAL)};
    struct vk_kernel *kernel =
        vk_kernel_make(vk, &(struct vk_kernel_info){.shader = test->shader, .bindings = "sss", .flags = VK_KERNEL_SUBGROUPS});
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_commands_bind(vk, commands, kernel, buffers);
    vk_commands_push(commands, kernel, (const uint32_t[]){COUNT}, 4);
    vkCmdDispatch(commands, GROUPS, 1, 1);
    vk_commands_run(vk, commands);
    memcpy(raw, buffers[1]->map, 4 * (size_t)test->rows * COUNT);
    fprintf(stderr, "subgroups of %u\n", raw[0]);
    check_rows(vk, test, raw, values);
    vk_result_buffer(vk, "free of size", "exact", buffers[2]);
}

static void run_sg_basic(struct vk_context *vk)
{
    run_case(vk, &(struct subgroup_case){"sg_basic", basic_rule, 7, 2 * GROUPS, VK_SUBGROUP_FEATURE_BASIC_BIT});
}

static void run_sg_vote(struct vk_context *vk)
{
    run_case(vk, &(struct subgroup_case){"sg_vote", vote_rule, 8, COUNT, VK_SUBGROUP_FEATURE_VOTE_BIT});
}

static void run_sg_ballot(struct vk_context *vk)
{
    run_case(vk, &(struct subgroup_case){"sg_ballot", ballot_rule, 30, GROUPS, VK_SUBGROUP_FEATURE_BALLOT_BIT});
}

static void run_sg_shuffle(struct vk_context *vk)
{
    run_case(vk, &(struct subgroup_case){"sg_shuffle", shuffle_rule, 9, 3 * COUNT, VK_SUBGROUP_FEATURE_SHUFFLE_BIT});
}

static void run_sg_shuffle_relative(struct vk_context *vk)
{
    run_case(vk, &(struct subgroup_case){"sg_shuffle_relative", relative_rule, 9, 2 * COUNT,
                                         VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT});
}

static void run_sg_uint(struct vk_context *vk)
{
    run_case(vk, &(struct subgroup_case){"sg_arithmetic_0", uint_rule, 33, 2 * GROUPS, VK_SUBGROUP_FEATURE_ARITHMETIC_BIT});
}

static void run_sg_int(struct vk_context *vk)
{
    run_case(vk, &(struct subgroup_case){"sg_arithmetic_1", int_rule, 33, 2 * GROUPS, VK_SUBGROUP_FEATURE_ARITHMETIC_BIT});
}

static void run_sg_float(struct vk_context *vk)
{
    run_case(vk, &(struct subgroup_case){"sg_arithmetic_2", float_rule, 33, 2 * GROUPS, VK_SUBGROUP_FEATURE_ARITHMETIC_BIT});
}

/* What shaders leave that no subgroup's size changes: an input and a number of outputs. */
static void run_free(struct vk_context *vk, const char *shader, uint32_t flags, const uint32_t *words, uint32_t outputs)
{
    static uint32_t values[COUNT];
    struct vk_buffer *buffers[4];
    vk_random_words(values, COUNT, 301);
    buffers[0] = vk_buffer_make(vk, sizeof values, values, VK_PLACE_HOST);
    for (uint32_t i = 0; i < outputs; i++)
        buffers[i + 1] = vk_buffer_make(vk, 4 * (VkDeviceSize)words[i], NULL, VK_PLACE_LOCAL);
    struct vk_kernel *kernel =
        vk_kernel_make(vk, &(struct vk_kernel_info){.shader = shader, .bindings = outputs == 1 ? "ss" : "sss", .flags = flags});
    VkCommandBuffer commands = vk_commands_begin(vk);
    vk_commands_bind(vk, commands, kernel, buffers);
    vkCmdDispatch(commands, GROUPS, 1, 1);
    vk_commands_run(vk, commands);
    for (uint32_t i = 0; i < outputs; i++)
        vk_result_buffer(vk, "free of size", "exact", buffers[i + 1]);
}

static void run_sg_clustered(struct vk_context *vk)
{
    bool has = vk->p11.subgroupSupportedOperations & VK_SUBGROUP_FEATURE_CLUSTERED_BIT;
    vk_need(has || vk_context_is_lavapipe(vk), "clustered subgroup operations");
    run_free(vk, has ? "sg_clustered" : "sg_clustered_emulated", has ? VK_KERNEL_SUBGROUPS : 0, (const uint32_t[]){35 * COUNT},
             1);
}

static void run_sg_quad(struct vk_context *vk)
{
    run_free(vk, "sg_quad", VK_KERNEL_SUBGROUPS, (const uint32_t[]){8 * COUNT}, 1);
}

static void run_sg_wide(struct vk_context *vk)
{
    vk_need(vk->f12.shaderSubgroupExtendedTypes, "shaderSubgroupExtendedTypes");
    run_free(vk, "sg_wide", VK_KERNEL_SUBGROUPS, (const uint32_t[]){6, 6 * COUNT}, 2);
}

/* The size itself can be required: each that the device offers gives the same. */
static void run_sg_sizes(struct vk_context *vk)
{
    static uint32_t values[COUNT], ones[2 * GROUPS], raw[33 * COUNT];
    vk_random_words(values, COUNT, 302);
    memset(ones, 0xff, sizeof ones);
    struct vk_buffer *buffers[3] = {vk_buffer_make(vk, sizeof values, values, VK_PLACE_HOST),
                                    vk_buffer_make(vk, sizeof raw, NULL, VK_PLACE_HOST),
                                    vk_buffer_make(vk, sizeof ones, ones, VK_PLACE_HOST)};
    uint8_t first[sizeof ones];
    for (uint32_t size = vk->p13.minSubgroupSize; size <= vk->p13.maxSubgroupSize; size *= 2) {
        struct vk_kernel *kernel = vk_kernel_make(
            vk, &(struct vk_kernel_info){
                    .shader = "sg_arithmetic_0", .bindings = "sss", .flags = VK_KERNEL_SUBGROUPS, .subgroup_size = size});
        memcpy(buffers[2]->map, ones, sizeof ones);
        VkCommandBuffer commands = vk_commands_begin(vk);
        vk_commands_bind(vk, commands, kernel, buffers);
        vk_commands_push(commands, kernel, (const uint32_t[]){COUNT}, 4);
        vkCmdDispatch(commands, GROUPS, 1, 1);
        vk_commands_run(vk, commands);
        memcpy(raw, buffers[1]->map, sizeof raw);
        vk_check(vk, raw[0] == size, "subgroups of %u where %u was required", raw[0], size);
        check_rows(vk, &(struct subgroup_case){"sg_arithmetic_0", uint_rule, 33, 0, 0}, raw, values);
        if (size == vk->p13.minSubgroupSize)
            memcpy(first, buffers[2]->map, sizeof first);
        vk_check(vk, memcmp(first, buffers[2]->map, sizeof first) == 0, "subgroups of %u give something else", size);
    }
    vk_result_buffer(vk, "free of size", "exact", buffers[2]);
}

const struct vk_program vk_programs_subgroup[] = {
    {.name = "sg_basic", .run = run_sg_basic},
    {.name = "sg_vote", .run = run_sg_vote},
    {.name = "sg_ballot", .run = run_sg_ballot},
    {.name = "sg_shuffle", .run = run_sg_shuffle},
    {.name = "sg_shuffle_relative", .run = run_sg_shuffle_relative},
    {.name = "sg_uint", .run = run_sg_uint},
    {.name = "sg_int", .run = run_sg_int},
    {.name = "sg_float", .run = run_sg_float},
    {.name = "sg_clustered", .run = run_sg_clustered},
    {.name = "sg_quad", .run = run_sg_quad},
    {.name = "sg_wide", .run = run_sg_wide},
    {.name = "sg_sizes", .run = run_sg_sizes},
    {0},
};
