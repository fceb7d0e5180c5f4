/* Memory as programs reach it: the table of mapped runs, the local share, scratch, buffers by descriptor; and how faults
 * are kept. A place that no run covers is reported, with where it was reached from, and reads zero. */
layout(set = 0, binding = 0, std430) readonly buffer Params { u32 w[]; } params;
layout(set = 0, binding = 0, std430) volatile buffer Wishes { u32 w[]; } wishes; /* parameters that the host changes meanwhile */
layout(set = 0, binding = 1, std430) buffer Status { u32 w[]; } status;
layout(set = 0, binding = 2, std430) buffer Registers { u32 w[]; } registers;
layout(set = 0, binding = 2, std430) buffer Redo { u32 w[]; } redo; /* a bit for each lane of the dispatch */
layout(set = 0, binding = 3, std430) buffer Share { u32 w[]; } share; /* the local share from before, or of each group that runs */
/* Groups that run at once: the first one, how many, and how many others before. Then what is told of the dispatch (TOLD_WORDS): the first
 * group's ids, the grid, whether only lanes run whose bits are set, and the first of what the parameters hold of accesses and of loaded words:
 * what is told so costs next to nothing to look at. */
layout(push_constant) uniform Box { u32 x, y, z, size_x, size_y, before, id_x, id_y, id_z, grid_x, grid_y, again, near[TOLD_NEARS * TOLD_NEAR_WORDS], words[TOLD_LOADED]; } box;
layout(constant_id = 0) const u32 LDS_WORDS = 1u;
shared u32 lds[LDS_WORDS];
layout(buffer_reference, std430, buffer_reference_align = 1) buffer Byte { uint8_t v; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { u32 v; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Long { u64 v; };

#define PARAM(name) params.w[P_##name]

/* The invocation's wave in its group, and its lane there, or the first of several: as its subgroup has it, or alone. */
u32 wave_number, wave_lane;
uvec3 group_here, threads_here; /* its group, and how many threads that has */
bool all_run;                   /* it is known that every wave has all its lanes, and every group x * y * z threads */
/* Of programs that an invocation goes through several times, for groups that lie so far apart that neighbours stay side by side. */
u32 turn;
void begin_turn(U32 n) { turn = n; }
/* merged: guest groups, one behind the other in x, that are one of the host's at a time, and turns: how often; invocation: which of the
 * guest's group. */
u32 begin_group(U32 group_lanes, U32 merged, U32 turns, U32 x, U32 y, U32 z)
{
    u32 number_ = merged > 1u ? gl_LocalInvocationID.x / group_lanes : 0u;
    u32 before = turns > 1u ? gl_WorkGroupID.x * (merged * turns) + turn * merged : gl_WorkGroupID.x * merged;
    group_here = uvec3(box.x + before + number_, box.y + gl_WorkGroupID.y, box.z + gl_WorkGroupID.z);
    all_run = x != 0u;
    uvec3 groups = uvec3(params.w[P_GROUPS], params.w[P_GROUPS + 1u], params.w[P_GROUPS + 2u]);
    uvec3 last = uvec3(params.w[P_LAST_THREADS], params.w[P_LAST_THREADS + 1u], params.w[P_LAST_THREADS + 2u]);
    uvec3 inner = uvec3(params.w[P_THREADS], params.w[P_THREADS + 1u], params.w[P_THREADS + 2u]);
    threads_here = all_run ? uvec3(x, y, z) : mix(inner, last, equal(group_here + 1u, groups));
    return gl_LocalInvocationID.x - number_ * group_lanes;
}
void begin_packed(U32 x, U32 y, U32 z)
{
    begin_group(0u, 1u, 1u, x, y, z);
    wave_number = gl_SubgroupID;
    wave_lane = gl_SubgroupInvocationID;
}
/* Two waves of 32 are one subgroup of the host's. */
u32 wave_base() { return gl_SubgroupInvocationID & 32u; }
void begin_paired(U32 x, U32 y, U32 z)
{
    begin_group(0u, 1u, 1u, x, y, z);
    wave_number = 2u * gl_SubgroupID + (wave_base() >> 5);
    wave_lane = gl_SubgroupInvocationID & 31u;
}
void begin_alone(U32 lanes, U32 group_lanes, U32 merged, U32 turns, U32 x, U32 y, U32 z)
{
    u32 number_ = begin_group(group_lanes, merged, turns, x, y, z);
    wave_number = number_ / lanes;
    wave_lane = number_ % lanes;
}
/* Which of the groups that run at once it is. */
u32 group_at_once()
{
    return box.before + ((group_here.z - box.z) * box.size_y + group_here.y - box.y) * box.size_x + group_here.x - box.x;
}
/* Where the host has too little memory for groups, their local shares lie behind each other in `share`; what reaches `lds` reaches there. */
u32 share_first;
void begin_spilled() { share_first = group_at_once() * LDS_WORDS; }
bool runs_group() { return group_here.x - box.x < box.size_x; }
u32 group_number() { return (group_here.z * box.grid_y + group_here.y) * box.grid_x + group_here.x; }

/* Faults are kept by each invocation, the first with its place, and told when the wave ends: at each access they cost a few moves. Kind,
 * lane and site of the first are one word; counts lie side by side, and stay where they are full. */
#define FAULT_KINDS 6u
#define FAULT_COUNT_BITS 10u
#define FAULT_WORD_KINDS 3u
u32 fault_first, fault_low, fault_high, hang_site;
u32 fault_counts, fault_more; /* of the first kinds, and of the others */
bool escaped, unmapped; /* unmapped: a load met memory that is not there, since somebody last asked */
bool own_left; /* see own_find */
u64 run_table; /* device address of the table of mapped runs */
u32 run_count, share_bytes;
/* The site of the jump back that was taken last, and one, where the host ends loops itself. That somebody looks at it keeps its compiler from leaving
 * out a loop that has no other use, and may have no end. */
u32 back_site;
void take_round(U32 site) { back_site = site + 1u; }
/* From 2 on: what is 0 or 1, which no compiler knows. Each loop asks for another number, as an answer once known answers the same again. */
bool never(U32 number) { return box.again == number; }
void begin_wave()
{
    nought = box.again >> 1;
    fault_first = 0u;
    hang_site = 0u;
    fault_counts = 0u;
    fault_more = 0u;
    back_site = 0u;
    escaped = false;
    own_left = false;
    share_bytes = PARAM(LDS_BYTES);
    run_table = pair64(params.w[P_TABLE], params.w[P_TABLE + 1u]);
    run_count = PARAM(RUN_COUNT);
}
void report(U32 kind, U32 site, U32 lane, U64 address)
{
    const u32 most = (1u << FAULT_COUNT_BITS) - 1u;
    unmapped = unmapped || kind == KIND_READ;
    u32 at = kind % FAULT_WORD_KINDS * FAULT_COUNT_BITS;
    if (kind < FAULT_WORD_KINDS)
        fault_counts += (fault_counts >> at & most) != most ? 1u << at : 0u;
    else
        fault_more += (fault_more >> at & most) != most ? 1u << at : 0u;
    if (fault_first == 0u) {
        fault_first = site << 11 | ((lane + 1u) & 127u) << 4 | (kind + 1u);
        fault_low = unpackUint2x32(address).x;
        fault_high = unpackUint2x32(address).y;
    }
}
void put_record(U32 kind, U32 site, U32 lane, U32 low, U32 high)
{
    u32 n = atomicAdd(status.w[STATUS_COUNT], 1u);
    if (n < STATUS_MAX) {
        u32 at = STATUS_RECORDS + n * STATUS_RECORD_WORDS;
        status.w[at] = kind;
        status.w[at + 1u] = site;
        status.w[at + 2u] = low;
        status.w[at + 3u] = high;
        status.w[at + 4u] = lane;
        status.w[at + 5u] = group_number();
        status.w[at + 6u] = wave_number;
    }
}
/* A host that has given a wave all the rounds of loops that it gives ends this one early, too. It has gone on behind the loop that took them: what it
 * jumped back by last may belong to a loop around that one, or behind it. */
void tell_cut()
{
    u32 left = PARAM(ROUNDS);
    while (left > 1u)
        left >>= 1;
    if (left != 1u && atomicAdd(status.w[STATUS_CUT], 1u) < STATUS_MAX && back_site != 0u)
        put_record(KIND_HANG, back_site - 1u, ~0u, 0u, 0u);
}
/* Told, like faults, when the program has been left: a loop's own code stays small. */
void out_of_budget(U32 site) { hang_site = site + 1u; }
void tell_hang()
{
    if (hang_site != 0u && atomicExchange(status.w[STATUS_STOP], 1u) == 0u) {
        atomicAdd(status.w[STATUS_KINDS + KIND_HANG], 1u);
        put_record(KIND_HANG, hang_site - 1u, ~0u, 0u, 0u);
    }
}
void tell_faults()
{
    tell_hang();
    tell_cut();
    if (escaped)
        status.w[STATUS_ESCAPED] = 1u;
    if (fault_first != 0u) {
        [[dont_unroll]] for (u32 kind = 0u; kind < FAULT_KINDS; kind++)
            atomicAdd(status.w[STATUS_KINDS + kind], (kind < FAULT_WORD_KINDS ? fault_counts : fault_more)
                          >> (kind % FAULT_WORD_KINDS * FAULT_COUNT_BITS) & ((1u << FAULT_COUNT_BITS) - 1u));
        put_record((fault_first & 15u) - 1u, fault_first >> 11, (fault_first >> 4 & 127u) - 1u, fault_low, fault_high);
    }
}

/* Where a guest address lies: room is what its run has from there on, none where there is no run. Every access has one copy of this
 * search, and so of the loop around it: what a module costs to compile is its loops. */
struct spot { u64 device, room; u32 flags; };
/* What is known of an address beforehand: where it lies for the device (0: that is not known); or that it need not be searched for. */
struct hint { u64 device; u32 flags; bool escapes; };
const hint NO_HINT = hint(0ul, 0u, false);
spot find(U64 at, const hint near)
{
    spot s = spot(near.device, near.device != 0ul ? u64(16u) : 0ul, near.flags);
    u64 row = run_table;
    u32 left = near.device != 0ul || near.escapes ? 0u : run_count;
    while (left > 1u) { /* the table is ascending: the last run that begins at the address or before it */
        u32 below = left >> 1;
        u64 middle = row + u64(below * (4u * P_RUN_WORDS));
        bool up = !(at < Long(middle).v);
        row = up ? middle : row;
        left = up ? left - below : below;
    }
    if (left != 0u) {
        u64 offset = at - Long(row).v, size = Long(row + u64(8u)).v;
        if (offset < size)
            s = spot(Long(row + u64(16u)).v + offset, size - offset, Word(row + u64(24u)).v);
    }
    return s;
}
hint behind(const hint near, U32 bytes) { return hint(near.device != 0ul ? near.device + u64(bytes) : 0ul, near.flags, near.escapes); }
bool writable(const spot s) { return (s.flags & 1u) != 0u; }
bool discards(const spot s) { return (s.flags & 2u) != 0u; }

/* One byte: most accesses that are not words. */
uvec4 byte_load(U64 at, U32 site, U32 lane, const hint near)
{
    u32 r = 0u;
    spot s = find(at, near);
    escaped = escaped || near.escapes;
    if (s.room == 0ul)
        report(KIND_READ, site, lane, at);
    else if (!discards(s))
        r = u32(Byte(s.device).v);
    return uvec4(r, 0u, 0u, 0u);
}
bool byte_store(const bool looks, U64 at, U32 data, U32 site, U32 lane, const hint near)
{
    spot s = find(at, near);
    bool can = s.room != 0ul && (writable(s) || discards(s));
    escaped = escaped || near.escapes;
    if (!can)
        report(s.room == 0ul ? KIND_WRITE : KIND_READ_ONLY, site, lane, at);
    else if (!looks && !discards(s))
        Byte(s.device).v = uint8_t(data);
    return can;
}

/* Up to four words, as a whole; what straddles runs, or is not aligned, byte by byte. */
uvec4 near_load(U64 at, U32 bytes, U32 site, U32 lane, const hint near)
{
    if (bytes == 1u)
        return byte_load(at, site, lane, near);
    escaped = escaped || near.escapes;
    uvec4 r = uvec4(0u);
    u32 done = 0u, piece = bytes;
    do {
        spot s = find(at + u64(done), bytes >= 4u ? near : behind(near, done));
        bool there = s.room >= u64(piece), aligned = (u32(s.device) & 3u) == 0u;
        if (there && discards(s)) {
            done += piece;
        } else if (there && bytes >= 4u && piece == bytes && aligned) {
            r.x = Word(s.device).v;
            if (bytes >= 8u)
                r.y = Word(s.device + u64(4u)).v;
            if (bytes >= 12u)
                r.z = Word(s.device + u64(8u)).v;
            if (bytes >= 16u)
                r.w = Word(s.device + u64(12u)).v;
            done = bytes;
        } else if (s.room == 0ul) {
            report(KIND_READ, site, lane, at + u64(done));
            r = uvec4(0u);
            done = bytes;
        } else {
            u32 bits = u32(Byte(s.device).v) << (8u * (done & 3u)), word = done >> 2;
            r |= uvec4(word == 0u ? bits : 0u, word == 1u ? bits : 0u, word == 2u ? bits : 0u, word == 3u ? bits : 0u);
            piece = 1u;
            done++;
        }
    } while (done < bytes);
    return r;
}
/* Nothing is stored where a part cannot be: what does not lie in one run is looked at first, byte by byte. looks: it is only asked whether
 * it can be. */
bool look_or_store(const bool looks, U64 at, U32 bytes, const uvec4 data, U32 site, U32 lane, const hint near)
{
    if (bytes == 1u)
        return byte_store(looks, at, data.x, site, lane, near);
    escaped = escaped || near.escapes;
    u32 done = 0u, piece = bytes;
    bool sure = false, can = true;
    do {
        spot s = find(at + u64(done), bytes >= 4u ? near : behind(near, done));
        bool there = s.room >= u64(piece), aligned = (u32(s.device) & 3u) == 0u, whole = there && piece == bytes;
        bool stores = !discards(s);
        if (s.room == 0ul || (!writable(s) && stores)) {
            report(s.room == 0ul ? KIND_WRITE : KIND_READ_ONLY, site, lane, at + u64(done));
            can = false;
            done = bytes;
        } else if (looks && there) {
            done += piece;
        } else if (whole && stores && aligned && bytes >= 4u) {
            Word(s.device).v = data.x;
            if (bytes >= 8u)
                Word(s.device + u64(4u)).v = data.y;
            if (bytes >= 12u)
                Word(s.device + u64(8u)).v = data.z;
            if (bytes >= 16u)
                Word(s.device + u64(12u)).v = data.w;
            done = bytes;
        } else {
            sure = sure || whole;
            if (sure && stores) {
                u32 word = done < 4u ? data.x : done < 8u ? data.y : done < 12u ? data.z : data.w;
                Byte(s.device).v = uint8_t(word >> (8u * (done & 3u)));
            }
            piece = 1u;
            done++;
            if (done == bytes && !sure) {
                sure = true;
                done = 0u;
            }
        }
    } while (done < bytes);
    return can;
}
void near_store(U64 at, U32 bytes, const uvec4 data, U32 site, U32 lane, const hint near)
{
    look_or_store(false, at, bytes, data, site, lane, near);
}
uvec4 guest_load(U64 at, U32 bytes, U32 site, U32 lane) { return near_load(at, bytes, site, lane, NO_HINT); }
uvec4 narrow(const uvec4 r, U32 bytes, const bool is_signed)
{
    u32 up = bytes < 4u ? 32u - 8u * bytes : 0u;
    return uvec4(is_signed ? u32(i32(r.x << up) >> up) : r.x << up >> up, r.yzw);
}
uvec4 with_word(const uvec4 r, U32 n, U32 bits)
{
    return r | uvec4(n == 0u ? bits : 0u, n == 1u ? bits : 0u, n == 2u ? bits : 0u, n == 3u ? bits : 0u);
}
u32 word_at(const uvec4 r, U32 n) { return n == 0u ? r.x : n == 1u ? r.y : n == 2u ? r.z : r.w; }

/* A slot's words: start, size, device address, flags, the mask's device address. Words that are not aligned are left to the search; a mask cannot
 * tell of them. */
#define SLOT_ARGS U32 s0, U32 s1, U32 s2, U32 s3, U32 s4, U32 s5, U32 s6, U32 s7
#define SLOT s0, s1, s2, s3, s4, s5, s6, s7
hint slot_hint(SLOT_ARGS, U64 at, U32 bytes, const bool stores)
{
    u64 offset = at - pair64(s0, s1);
    bool whole = bytes < 4u || (u32(offset) & 3u) == 0u, inside = offset + u64(bytes) <= u64(s2) && offset <= u64(s2);
    bool bound = inside && (!stores || ((s5 & SLOT_WRITABLE) != 0u && (whole || (s5 & SLOT_MARKS) == 0u)));
    bool good = bound && whole;
    return hint(good ? pair64(s3, s4) + offset : 0ul, 1u, !bound && (s5 & SLOT_ESCAPES) != 0u);
}
/* The words of a store are marked in the slot's mask with plain stores; what does not land marks the word behind the mask's others instead. */
void slot_mark(const bool lands, SLOT_ARGS, U64 at, U32 bytes)
{
    if ((s6 | s7) != 0u && (s5 & SLOT_MARKS) != 0u) { /* modules that never mark have zeros there */
        u64 offset = at - pair64(s0, s1), row = pair64(s6, s7);
        bool inside = lands && offset <= u64(s2) && offset + u64(bytes) <= u64(s2);
        u32 first = inside ? u32(offset) >> 2 : s2 >> 2, count = inside ? max(bytes >> 2, 1u) : 1u;
        for (u32 n = 0u; n < count; n++)
            Byte(row + u64(first + n)).v = uint8_t(min(count, 1u));
    }
}

/* Global memory: base (64 bits) + a lane's index << scale + offset. */
uvec4 global_load(const bool on, U32 lo, U32 hi, U32 bytes, const bool is_signed, U32 site, U32 lane, SLOT_ARGS)
{
    uvec4 r = uvec4(0u);
    hint near = slot_hint(SLOT, pair64(lo, hi), bytes, false);
    if (on)
        r = narrow(near_load(pair64(lo, hi), bytes, site, lane, near), bytes, is_signed);
    return r;
}
void global_store(const bool on, U32 lo, U32 hi, U32 bytes, U32 x, U32 y, U32 z, U32 w, U32 site, U32 lane, SLOT_ARGS)
{
    hint near = slot_hint(SLOT, pair64(lo, hi), bytes, true);
    if (on)
        near_store(pair64(lo, hi), bytes, uvec4(x, y, z, w), site, lane, near);
    slot_mark(on, SLOT, pair64(lo, hi), bytes);
}

/* The local share. A part outside it is zero, or dropped, and counted. */
u32 missed; /* in a fast module: 0 or 1, see there */
bool in_share(U32 at, U32 bytes, U32 site, U32 lane, U32 outside)
{
    if (outside == SHARE_INSIDE)
        return true;
    bool inside = at <= share_bytes && bytes <= share_bytes - at;
    if (outside == SHARE_MISSES)
        missed |= u32(!inside);
    else if (!inside)
        report(KIND_LDS_RANGE, site, lane, u64(at));
    return inside;
}
u32 share_word(U32 at, const bool aligned)
{
    if (aligned)
        return lds[at >> 2];
    u32 word = at >> 2, shift = (at & 3u) * 8u;
    u32 low = lds[word] >> shift;
    return shift == 0u || word + 1u >= LDS_WORDS ? low : low | lds[word + 1u] << (32u - shift);
}
/* aligned: it is known that the address is a multiple of four. */
uvec4 lds_load(const bool on, U32 at, U32 bytes, const bool is_signed, U32 site, U32 lane, const bool aligned, U32 outside)
{
    if (!on || !in_share(at, bytes, site, lane, outside))
        return uvec4(0u);
    uvec4 r = uvec4(bytes == 1u ? lds[at >> 2] >> (at & 3u) * 8u : share_word(at, aligned), 0u, 0u, 0u);
    if (bytes >= 8u)
        r.y = share_word(at + 4u, aligned);
    if (bytes >= 12u)
        r.z = share_word(at + 8u, aligned);
    if (bytes >= 16u)
        r.w = share_word(at + 12u, aligned);
    return narrow(r, bytes, is_signed);
}
/* Other lanes may store into the same word's other bytes: only our own bits are touched. */
void share_put(U32 at, U32 value, U32 bits, const bool aligned)
{
    if (aligned && bits == 32u) {
        lds[at >> 2] = value;
        return;
    }
    u32 shift = (at & 3u) * 8u, word = at >> 2, mask = bits == 32u ? ~0u : (1u << bits) - 1u;
    if (mask == ~0u && shift == 0u) {
        lds[word] = value;
        return;
    }
    atomicAnd(lds[word], ~(mask << shift));
    atomicOr(lds[word], (value & mask) << shift);
    if (shift + bits > 32u) {
        u32 over = 32u - shift;
        atomicAnd(lds[word + 1u], ~(mask >> over));
        atomicOr(lds[word + 1u], (value & mask) >> over);
    }
}
void lds_store(const bool on, U32 at, U32 bytes, U32 x, U32 y, U32 z, U32 w, U32 site, U32 lane, const bool aligned, U32 outside)
{
    if (!on || !in_share(at, bytes, site, lane, outside))
        return;
    share_put(at, x, min(bytes, 4u) * 8u, aligned);
    if (bytes >= 8u)
        share_put(at + 4u, y, 32u, aligned);
    if (bytes >= 12u)
        share_put(at + 8u, z, 32u, aligned);
    if (bytes >= 16u)
        share_put(at + 12u, w, 32u, aligned);
}

/* Scratch: lanes' words lie side by side, one line of them for each word. */
u64 scratch_at(U32 scratch_lo, U32 scratch_hi, U32 offset, U32 lane, U32 lanes)
{
    u64 base = u64(i64(pair64(scratch_lo, scratch_hi) << 16) >> 16);
    u32 inside = offset & 3u;
    return base + u64(offset - inside) * u64(lanes) + u64(lane * 4u + inside);
}
/* A load that swizzling takes apart is one access: where a part of it is not there all of it is zero, and that is one fault. */
bool begin_parts()
{
    bool before = unmapped;
    unmapped = false;
    return before;
}
uvec4 end_parts(const bool before, const uvec4 r)
{
    uvec4 whole = unmapped ? uvec4(0u) : r;
    unmapped = unmapped || before;
    return whole;
}
/* A store that is taken apart is one access, too: n counts its parts twice, up to `bytes` to look at them, and then to store them if all of them
 * can be. */
u32 first_part(U32 unit, U32 bytes) { return unit == bytes ? bytes : 0u; }
u32 part_at(U32 n, U32 bytes) { return n < bytes ? n : n - bytes; }
/* The part of a private access that lies side by side: a word, or a byte where it is not aligned. */
u32 scratch_unit(U32 offset, U32 bytes) { return bytes >= 4u && (offset & 3u) == 0u ? 4u : 1u; }
uvec4 private_load(const bool global, U64 at, U32 lo, U32 hi, U32 offset, U32 lanes, U32 bytes, const bool is_signed, U32 site, U32 lane)
{
    uvec4 r = uvec4(0u);
    u32 unit = global ? bytes : scratch_unit(offset, bytes), i = 0u;
    bool before = begin_parts();
    do {
        uvec4 part = guest_load(global ? at : scratch_at(lo, hi, offset + i, lane, lanes), unit, site, lane);
        r = global ? part : with_word(r, i >> 2, part.x << (8u * (i & 3u)));
        i += unit;
    } while (i < bytes && !unmapped);
    return narrow(end_parts(before, r), bytes, is_signed);
}
void private_store(const bool global, U64 at, U32 lo, U32 hi, U32 offset, U32 lanes, U32 bytes, const uvec4 data, U32 site, U32 lane)
{
    u32 unit = global ? bytes : scratch_unit(offset, bytes), n = first_part(unit, bytes);
    bool can = true;
    do {
        u32 i = part_at(n, bytes);
        uvec4 part = global ? data : uvec4(word_at(data, i >> 2) >> (8u * (i & 3u)), 0u, 0u, 0u);
        u64 place = global ? at : scratch_at(lo, hi, offset + i, lane, lanes);
        can = look_or_store(n < bytes, place, unit, part, site, lane, NO_HINT);
        n += unit;
    } while (n < 2u * bytes && can);
}
uvec4 scratch_load(const bool on, U32 lo, U32 hi, U32 offset, U32 lanes, U32 bytes, const bool is_signed, U32 site, U32 lane)
{
    uvec4 r = uvec4(0u);
    if (on)
        r = private_load(false, 0ul, lo, hi, offset, lanes, bytes, is_signed, site, lane);
    return r;
}
void scratch_store(const bool on, U32 lo, U32 hi, U32 offset, U32 lanes, U32 bytes, U32 x, U32 y, U32 z, U32 w, U32 site, U32 lane)
{
    if (on)
        private_store(false, 0ul, lo, hi, offset, lanes, bytes, uvec4(x, y, z, w), site, lane);
}

/* Scratch that is looked for once, before it is reached: its accesses search for nothing. What does not lie where its base does is left, and told
 * at the wave's end. Nobody but the lane reaches its words, so that parts of them may be stored by what they hold. */
u64 own_device;
u32 own_room;
void own_find(U32 lo, U32 hi)
{
    const u32 most = 0x7fffffffu;
    spot s = find(u64(i64(pair64(lo, hi) << 16) >> 16), NO_HINT);
    bool usable = writable(s) && !discards(s) && (u32(s.device) & 3u) == 0u;
    own_device = s.device;
    own_room = !usable ? 0u : s.room > u64(most) ? most : u32(s.room);
}
void tell_own()
{
    if (own_left)
        status.w[STATUS_STRAY] = STATUS_SCRATCH;
}
bool own_holds(const bool on, U32 offset, U32 bytes, U32 lane, U32 lanes)
{
    u32 end = (((offset + bytes - 1u) >> 2) * lanes + lane + 1u) * 4u;
    bool inside = offset < 1u << 24 && end <= own_room;
    own_left = own_left || (on && !inside);
    return on && inside;
}
u32 own_word(U32 word, U32 lane, U32 lanes) { return Word(own_device + u64((word * lanes + lane) * 4u)).v; }
uvec4 own_load(const bool on, U32 offset, U32 lanes, U32 bytes, const bool is_signed, const bool aligned, U32 lane)
{
    uvec4 r = uvec4(0u);
    if (own_holds(on, offset, bytes, lane, lanes)) {
        u32 word = offset >> 2, by = (offset & 3u) * 8u, up = 32u - by;
        r.x = own_word(word, lane, lanes);
        if (bytes >= 8u)
            r.y = own_word(word + 1u, lane, lanes);
        if (bytes >= 12u)
            r.z = own_word(word + 2u, lane, lanes);
        if (bytes >= 16u)
            r.w = own_word(word + 3u, lane, lanes);
        if (!aligned && by != 0u) { /* of a byte or two in one word, what the last one adds is cut off */
            u32 last = own_word((offset + bytes - 1u) >> 2, lane, lanes);
            r.x = r.x >> by | (bytes >= 8u ? r.y : last) << up;
            if (bytes >= 8u)
                r.y = r.y >> by | (bytes >= 12u ? r.z : last) << up;
            if (bytes >= 12u)
                r.z = r.z >> by | (bytes >= 16u ? r.w : last) << up;
            if (bytes >= 16u)
                r.w = r.w >> by | last << up;
        }
    }
    return narrow(r, bytes, is_signed);
}
void own_put(U32 word, U32 lane, U32 lanes, U32 bits, U32 mask)
{
    u64 at = own_device + u64((word * lanes + lane) * 4u);
    Word(at).v = mask == ~0u ? bits : (Word(at).v & ~mask) | (bits & mask);
}
u32 own_joined(U32 high, U32 low, U32 by) { return by == 0u ? high : high << by | low >> (32u - by); }
void own_store(const bool on, U32 offset, U32 lanes, U32 bytes, const bool aligned, U32 x, U32 y, U32 z, U32 w, U32 lane)
{
    if (own_holds(on, offset, bytes, lane, lanes)) {
        u32 word = offset >> 2, by = aligned ? 0u : (offset & 3u) * 8u, bits = min(bytes, 4u) * 8u;
        u32 mask = bits == 32u ? ~0u : (1u << bits) - 1u;
        own_put(word, lane, lanes, x << by, mask << by);
        if (bytes >= 8u)
            own_put(word + 1u, lane, lanes, own_joined(y, x, by), ~0u);
        if (bytes >= 12u)
            own_put(word + 2u, lane, lanes, own_joined(z, y, by), ~0u);
        if (bytes >= 16u)
            own_put(word + 3u, lane, lanes, own_joined(w, z, by), ~0u);
        if (!aligned && by + bits > 32u) {
            u32 top = bytes >= 16u ? w : bytes >= 12u ? z : bytes >= 8u ? y : x;
            own_put((offset + bytes - 1u) >> 2, lane, lanes, top >> (32u - by), mask >> (32u - by));
        }
    }
}

/* Flat: the apertures' high words say which. */
uvec4 flat_load(const bool on, U32 lo, U32 hi, U32 shared_hi, U32 private_hi, U32 scratch_lo, U32 scratch_hi, U32 lanes, U32 bytes,
                const bool is_signed, U32 site, U32 lane)
{
    uvec4 r = uvec4(0u);
    if (on && hi == shared_hi)
        r = lds_load(on, lo, bytes, is_signed, site, lane, false, SHARE_REPORTS);
    else if (on)
        r = private_load(hi != private_hi, pair64(lo, hi), scratch_lo, scratch_hi, lo, lanes, bytes, is_signed, site, lane);
    return r;
}
void flat_store(const bool on, U32 lo, U32 hi, U32 shared_hi, U32 private_hi, U32 scratch_lo, U32 scratch_hi, U32 lanes, U32 bytes,
                U32 x, U32 y, U32 z, U32 w, U32 site, U32 lane)
{
    if (on && hi == shared_hi)
        lds_store(on, lo, bytes, x, y, z, w, site, lane, false, SHARE_REPORTS);
    else if (on)
        private_store(hi != private_hi, pair64(lo, hi), scratch_lo, scratch_hi, lo, lanes, bytes, uvec4(x, y, z, w), site, lane);
}

/* Buffers: the guide's "Range Checking", as image/image_buffer.c has it. */
#define BUFFER_ARGS U32 d0, U32 d1, U32 d2, U32 d3, U32 index0, U32 lane_offset, U32 soffset, U32 inst_offset
bool buffer_outside(BUFFER_ARGS, U64 offset, U32 index, U32 payload)
{
    u32 stride = d1 >> 16 & 0x3fffu, bounds = d3 >> 28 & 3u, records = d2;
    bool swizzle = (d1 >> 31) != 0u, record_outside = index >= records;
    u64 end = offset + u64(payload);
    if ((d3 >> 12 & 127u) == 0u)
        return true;
    if (bounds == 0u)
        return record_outside || end > u64(stride);
    if (bounds == 1u)
        return record_outside;
    if (bounds == 2u)
        return records == 0u;
    if (swizzle && stride != 0u)
        return record_outside || end > u64(stride);
    return soffset > records || end > u64(records - soffset);
}
u64 buffer_at(BUFFER_ARGS, U64 offset, U32 index)
{
    u64 base = pair64(d0, d1 & 0xffffu), stride = u64(d1 >> 16 & 0x3fffu), lines = u64(8u << (d3 >> 21 & 3u)), i = u64(index);
    u64 inside = i * stride + offset;
    if ((d1 >> 31) != 0u)
        inside = (i / lines * stride + (offset & ~u64(3u))) * lines + i % lines * u64(4u) + (offset & u64(3u));
    return (base + u64(soffset) + inside) & K64(0xffffu, ~0u);
}
u64 buffer_offset(BUFFER_ARGS)
{
    bool add_tid = (d3 >> 23 & 1u) != 0u;
    return add_tid ? u64(lane_offset + inst_offset) : u64(lane_offset) + u64(inst_offset);
}
#define BUFFER d0, d1, d2, d3, index0, lane_offset, soffset, inst_offset
/* What goes as one: all of an access that lies in the buffer side by side, a word, or a byte of one that swizzling takes apart. */
u32 buffer_unit(BUFFER_ARGS, U64 offset, U32 index, U32 bytes)
{
    u32 payload = min(bytes, 4u);
    bool swizzle = (d1 >> 31) != 0u;
    if (!swizzle)
        return buffer_outside(BUFFER, offset + u64(bytes - payload), index, payload) ? payload : bytes;
    return (u32(offset) & 3u) + payload <= 4u ? payload : 1u;
}
/* The word that byte i is part of lies outside. */
bool buffer_part_outside(BUFFER_ARGS, U64 offset, U32 index, U32 bytes, U32 unit, U32 i)
{
    return unit != bytes && buffer_outside(BUFFER, offset + u64(i & ~3u), index, min(bytes, 4u));
}
uvec4 buffer_load(const bool on, BUFFER_ARGS, U32 bytes, const bool is_signed, U32 site, U32 lane, SLOT_ARGS)
{
    uvec4 r = uvec4(0u);
    u32 index = index0 + ((d3 >> 23 & 1u) != 0u ? lane : 0u), i = 0u;
    u64 offset = buffer_offset(BUFFER);
    u32 unit = buffer_unit(BUFFER, offset, index, bytes);
    bool before = begin_parts();
    if (on && !(unit == bytes && buffer_outside(BUFFER, offset, index, min(bytes, 4u)))) {
        do {
            if (!buffer_part_outside(BUFFER, offset, index, bytes, unit, i)) {
                u64 at = buffer_at(BUFFER, offset + u64(i), index);
                uvec4 part = near_load(at, unit, site, lane, slot_hint(SLOT, at, unit, false));
                r = unit > 4u ? part : with_word(r, i >> 2, part.x << (8u * (i & 3u)));
            }
            i += unit;
        } while (i < bytes && !unmapped);
    }
    return narrow(end_parts(before, r), bytes, is_signed);
}
void buffer_store(const bool on, BUFFER_ARGS, U32 bytes, U32 x, U32 y, U32 z, U32 w, U32 site, U32 lane, SLOT_ARGS)
{
    uvec4 data = uvec4(x, y, z, w);
    u32 index = index0 + ((d3 >> 23 & 1u) != 0u ? lane : 0u);
    u64 offset = buffer_offset(BUFFER);
    u32 unit = buffer_unit(BUFFER, offset, index, bytes), n = first_part(unit, bytes);
    bool can = true;
    if (on && !(unit == bytes && buffer_outside(BUFFER, offset, index, min(bytes, 4u)))) {
        do {
            u32 i = part_at(n, bytes);
            if (!buffer_part_outside(BUFFER, offset, index, bytes, unit, i)) {
                uvec4 part = unit > 4u ? data : uvec4(word_at(data, i >> 2) >> (8u * (i & 3u)), 0u, 0u, 0u);
                u64 at = buffer_at(BUFFER, offset + u64(i), index);
                can = look_or_store(n < bytes, at, unit, part, site, lane, slot_hint(SLOT, at, unit, true));
                if (n >= bytes)
                    slot_mark(true, SLOT, at, unit);
            }
            n += unit;
        } while (n < 2u * bytes && can);
    } else {
        slot_mark(false, SLOT, 0ul, bytes);
    }
}

/* Scalar memory: words, each by itself; the low two bits of every part of an address count as zero. */
u64 scalar_at(U32 base_lo, U32 base_hi, U32 offset, U32 inst_offset)
{
    return pair64(base_lo & ~3u, base_hi) + u64(offset & ~3u) + u64(i64(i32(inst_offset & ~3u)));
}
/* A scalar access to a buffer: where it begins, counted from the base, and how many of its words lie inside. */
u64 sbuffer_first(U32 offset, U32 inst_offset) { return u64((offset & ~3u) + (inst_offset & ~3u)); }
u32 sbuffer_inside(U32 d1, U32 d2, U64 first, U32 words)
{
    u32 stride = d1 >> 16 & 0x3fffu;
    u64 size = stride != 0u ? u64(stride) * u64(d2) : u64(d2), there = first < size ? (size - first) / u64(4u) : 0ul;
    return there < u64(words) ? u32(there) : words;
}
u32 scalar_load(const bool on, U32 base_lo, U32 base_hi, U32 offset, U32 inst_offset, U32 word, U32 site, SLOT_ARGS)
{
    u64 at = scalar_at(base_lo, base_hi, offset, inst_offset) + u64(4u * word);
    u32 r = 0u;
    if (on)
        r = near_load(at, 4u, site, ~0u, slot_hint(SLOT, at, 4u, false)).x;
    return r;
}
/* Up to four words for an invocation alone, each by itself too; count of them. */
uvec4 words_load(U64 at, U32 count, U32 site, const hint near)
{
    uvec4 r = uvec4(0u);
    escaped = escaped || near.escapes;
    u32 n = 0u;
    do {
        spot s = find(at + u64(4u * n), n == 0u ? near : NO_HINT);
        bool all = n == 0u && s.room >= u64(4u * count) && !discards(s);
        if (all) {
            r.x = Word(s.device).v;
            if (count >= 2u)
                r.y = Word(s.device + u64(4u)).v;
            if (count >= 3u)
                r.z = Word(s.device + u64(8u)).v;
            if (count >= 4u)
                r.w = Word(s.device + u64(12u)).v;
        } else if (s.room < u64(4u)) {
            report(KIND_READ, site, ~0u, at + u64(4u * n));
        } else if (!discards(s)) {
            r = with_word(r, n, Word(s.device).v);
        }
        n = all ? count : n + 1u;
    } while (n < count);
    return r;
}
uvec4 scalar_words(U32 base_lo, U32 base_hi, U32 offset, U32 inst_offset, U32 word, U32 count, U32 site, SLOT_ARGS)
{
    u64 at = scalar_at(base_lo, base_hi, offset, inst_offset) + u64(4u * word);
    return words_load(at, count, site, slot_hint(SLOT, at, 4u * count, false));
}
uvec4 sbuffer_words(U32 d0, U32 d1, U32 d2, U32 d3, U32 offset, U32 inst_offset, U32 word, U32 count, U32 site, SLOT_ARGS)
{
    u64 first = sbuffer_first(offset, inst_offset) + u64(4u * word), at = pair64(d0 & ~3u, d1 & 0xffffu) + first;
    u32 most = sbuffer_inside(d1, d2, first, count);
    uvec4 r = uvec4(0u);
    if (most != 0u)
        r = words_load(at, most, site, slot_hint(SLOT, at, 4u * most, false));
    return r;
}
u32 sbuffer_load(const bool on, U32 d0, U32 d1, U32 d2, U32 d3, U32 offset, U32 inst_offset, U32 word, U32 site, SLOT_ARGS)
{
    u64 first = sbuffer_first(offset, inst_offset) + u64(4u * word), at = pair64(d0 & ~3u, d1 & 0xffffu) + first;
    u32 r = 0u;
    if (on && sbuffer_inside(d1, d2, first, 1u) != 0u)
        r = near_load(at, 4u, site, ~0u, slot_hint(SLOT, at, 4u, false)).x;
    return r;
}
