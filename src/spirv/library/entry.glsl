/* What a wave begins with. */
u32 entry_group(U32 n) { return n == 0u ? box.id_x + group_here.x : n == 1u ? box.id_y + group_here.y : box.id_z + group_here.z; }
u32 entry_exec(U32 lanes, U32 word)
{
    uvec3 t = threads_here;
    u32 total = t.x * t.y * t.z, first = wave_number * lanes + 32u * word;
    u32 here = all_run ? 32u | nought : total > first ? total - first : 0u;
    return here >= 32u ? ~0u : (1u << here) - 1u;
}
u32 entry_thread(U32 n, U32 lanes, U32 lane)
{
    uvec3 t = threads_here;
    u32 number_ = wave_number * lanes + lane;
    /* Whole hosts divide integers lane by lane. Groups are small: what is rounded is far from the next whole number. */
    u32 row = all_run ? number_ / t.x : u32((float(number_) + 0.5) / float(t.x));
    u32 layer = all_run ? row / t.y : u32((float(row) + 0.5) / float(t.y));
    uvec3 id = uvec3(number_ - row * t.x, row - layer * t.y, layer);
    return all_run || number_ < t.x * t.y * t.z ? id[n] : 0u;
}
/* hidden: no compiler is to know that a lane runs for certain. lavapipe's would leave out the masks that keep what a lane brings out of a loop,
 * since whoever is in the loop has its bit set, and goes on calculating for those that are not. */
bool entry_runs(U32 lanes, U32 lane, const bool hidden)
{
    uvec3 t = threads_here;
    return all_run ? !hidden || nought == 0u : wave_number * lanes + lane < t.x * t.y * t.z;
}
u32 entry_wave() { return wave_number; }
/* How many waves the group has: one without all its threads perhaps fewer than the others. */
u32 entry_waves(U32 lanes, U32 waves)
{
    uvec3 t = threads_here;
    return all_run ? waves : (t.x * t.y * t.z + lanes - 1u) / lanes;
}
u32 first_lane_here() { return wave_lane; }
u32 told_near(U32 n) { return box.near[n]; }
u32 told_word(U32 n) { return box.words[n]; }
u32 entry_scalar(U32 slot) { return params.w[slot]; }
u32 entry_wave_slot() { return group_at_once() * PARAM(WAVES) + wave_number; }
u32 saved_scalar(U32 slot) { return registers.w[slot]; }
u32 saved_lane(U32 slot, U32 lanes, U32 lane) { return registers.w[256u + slot * lanes + lane]; }
void save_scalar(U32 slot, U32 value) { registers.w[slot] = value; }
void save_lane(U32 slot, U32 lanes, U32 lane, U32 value) { registers.w[256u + slot * lanes + lane] = value; }
u32 hidden(U32 x) { return x | nought; }
/* The budget of back edges is handed out in parts; between two of them a wave looks whether all are to end. The host says so in a word that the
 * device may not see where it keeps a copy of the host's memory; waves in another, for whose look compilers take an operation that changes nothing
 * for a load, once before the loop. */
bool stopped() { return wishes.w[P_STOP] != 0u || atomicOr(status.w[STATUS_STOP], nought) != 0u; }
u32 budget_left;
u32 next_rounds()
{
    u32 part = min(budget_left, BUDGET_PART);
    budget_left -= part;
    return part;
}
u32 budget()
{
    u32 first = min(PARAM(BUDGET), PARAM(FIRST_ROUNDS)); /* no look before: most waves end before that, and it costs each of them */
    budget_left = PARAM(BUDGET) - first;
    return first;
}
u32 more_rounds() { return stopped() ? 0u : next_rounds(); }
void stray() { status.w[STATUS_STRAY] = 1u; }

/* The local share from a buffer and back, by one subgroup. */
void restore_share(U32 subgroup)
{
    for (u32 i = gl_SubgroupInvocationID; i < LDS_WORDS; i += subgroup)
        lds[i] = share.w[i];
}
void save_share(U32 subgroup)
{
    for (u32 i = gl_SubgroupInvocationID; i < LDS_WORDS; i += subgroup)
        share.w[i] = lds[i];
}
