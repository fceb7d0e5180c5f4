/* Samples of images: coordinates, levels and mixing as image/ has them (records 0155, 0156), with every step rounded as there. */
/* What operations need of view and sampler: words of the record as they are read by fours. */
struct sampling { uvec4 what, slices, block, lod, size; };
sampling sampling_of(VIEW_ARGS)
{
    return sampling(QUAD_AT(V_WHAT), QUAD_AT(V_SLICES), QUAD_AT(V_BYTES), QUAD_AT(V_LOD), QUAD_AT(V_SIZE));
}
#define SF(o, field) ((o).lod.x >> (field) & 7u)
#define LAYERS(o) (o).block.z
#define AXES(o) (o).block.w
#define TOP_LEVEL(o) (i32((o).slices.z) - 1)
#define MODE_WRAP 0u
#define MODE_MIRROR 1u
#define MODE_ONCE_LAST 3u
#define MODE_HALF_BORDER 4u
#define MODE_ONCE_HALF_BORDER 5u
#define MODE_ONCE_BORDER 7u

/* ---- along one axis ---- */

/* Of an index not farther outside than axis_of lets it be. */
i32 wrapped(U32 mode, const i32 index, const i32 size)
{
    bool mirrors = mode == MODE_MIRROR, once = mode == MODE_ONCE_LAST || mode == MODE_ONCE_HALF_BORDER || mode == MODE_ONCE_BORDER;
    i32 period = mirrors ? 2 * size : size, turned = once && index < 0 ? -1 - index : index;
    if (mode <= MODE_MIRROR) {
        i32 inside = i32(u32(index + 128 * period) % u32(period));
        return inside < size ? inside : 2 * size - 1 - inside;
    }
    bool border = mode >= MODE_HALF_BORDER;
    return border && (turned < 0 || turned >= size) ? -1 : clamp(turned, 0, size - 1);
}
/* The one or two texels that a coordinate reads, -1: the border; the weight of the second, 0: only the first counts. */
struct axis { i32 at, next; float weight; };
axis axis_of(U32 mode, const bool linear, const bool truncate, const bool unnormalized, const i32 texels, const float coordinate, const i32 offset)
{
    precise float size = float(texels), x = coordinate;
    if (!unnormalized) {
        precise float half_ = x * 0.5;
        if (mode == MODE_WRAP)
            x -= floor(x);
        if (mode == MODE_MIRROR) {
            precise float turns = 2.0 * floor(half_);
            x -= turns;
        }
        x *= size;
    }
    x = isnan(x) ? 0.0 : x;
    x = min(max(x, -size - 64.0), 2.0 * size + 64.0) + float(offset);
    if (mode == MODE_HALF_BORDER || mode == MODE_ONCE_HALF_BORDER) {
        x = mode == MODE_ONCE_HALF_BORDER ? abs(x) : x;
        x = min(max(x, 0.0), linear ? size : size - 0.5);
    }
    precise float scaled = x * 256.0;
    precise float rounded = scaled + (truncate && !linear ? 0.0 : 0.5);
    i32 fixed_ = i32(floor(rounded)) - (linear ? 128 : 0), first = fixed_ >> 8;
    return axis(wrapped(mode, first, texels), wrapped(mode, first + 1, texels), linear ? float(fixed_ & 255) / 256.0 : 0.0);
}

/* ---- levels ---- */

/* The logarithm of image/image_log2.h, step by step. */
float level_log2(const float value)
{
    const float terms[10] = float[](0.4426950514316559, -0.7213473320007324, 0.48089852929115295, -0.36069655418395996, 0.28855255246162415,
                                    -0.23960812389850616, 0.20485764741897583, -0.19138838350772858, 0.18476033210754395, -0.10749789327383041);
    u32 small = as_u32(value) < 0x800000u ? 23u : 0u;
    precise float x = small != 0u ? value * 8388608.0 : value;
    i32 power = (i32(as_u32(x)) - 0x3f3504f3) >> 23;
    precise float r = as_f32(as_u32(x) - (u32(power) << 23)) - 1.0;
    precise float sum = terms[9];
    [[unroll]] for (i32 n = 8; n >= 0; n--) {
        precise float product = sum * r;
        sum = product + terms[n];
    }
    precise float product = r * sum;
    precise float part = r + product;
    precise float result = float(power - i32(small)) + part;
    bool special = !(value > 0.0) || as_u32(value) >= 0x7f800000u;
    return special ? (value == 0.0 ? as_f32(0xff800000u) : value) : result;
}
#define STEP_ARGS U32 dxs, U32 dxt, U32 dxr, U32 dys, U32 dyt, U32 dyr
#define STEPS dxs, dxt, dxr, dys, dyt, dyr
float step_length(const sampling o, U32 s, U32 t, U32 r)
{
    u32 axes = AXES(o);
    precise float x = as_f32(s) * as_f32(o.size.x), y = as_f32(t) * as_f32(o.size.y), z = as_f32(r) * as_f32(o.size.z);
    precise float xx = x * x, yy = y * y, zz = z * z;
    precise float sum = xx;
    if (axes >= 2u)
        sum += yy;
    if (axes >= 3u)
        sum += zz;
    return sqrt(sum);
}
/* The level before clamping. */
float level_wanted(const sampling o, U32 ask, U32 lod, STEP_ARGS)
{
    precise float level = 0.0;
    if (ASK_LOD(ask) == ASK_GIVEN)
        level = as_f32(lod);
    if (ASK_LOD(ask) == ASK_DERIVED) {
        float x = step_length(o, dxs, dxt, dxr), y = step_length(o, dys, dyt, dyr);
        level = level_log2(x >= y ? x : y);
        if ((ask & ASK_BIAS) != 0u)
            level += as_f32(lod);
    }
    level += as_f32(o.lod.w);
    return level;
}
float level_limited(const sampling o, U32 ask, U32 min_lod, const float level)
{
    float own = as_f32(min_lod), lowest = as_f32(o.lod.y);
    lowest = (ask & ASK_CLAMP) != 0u && own > lowest ? own : lowest;
    return min(isnan(level) ? lowest : max(level, lowest), max(as_f32(o.lod.z), lowest));
}
i32 level_fixed(const float level)
{
    precise float scaled = min(max(level, -64.0), 64.0) * 256.0;
    precise float rounded = scaled + 0.5;
    return i32(floor(rounded));
}
struct levels { bool linear; u32 first; float weight; };
bool sampler_unnormalized(const sampling o, U32 ask) { return (ask & ASK_UNNORMALIZED) != 0u || (o.lod.x & SF_UNNORMALIZED) != 0u; }
levels levels_of(const sampling o, U32 ask, U32 lod, U32 min_lod, STEP_ARGS)
{
    levels l = levels(false, 0u, 0.0);
    u32 filter_ = SF(o, SF_MAG), mip = SF(o, SF_MIP);
    i32 top = TOP_LEVEL(o);
    if (!sampler_unnormalized(o, ask)) {
        i32 fixed_ = level_fixed(level_limited(o, ask, min_lod, level_wanted(o, ask, lod, STEPS)));
        filter_ = fixed_ > 0 ? SF(o, SF_MIN) : filter_;
        if (mip == 1u)
            l.first = u32(clamp((fixed_ + 127) >> 8, 0, top));
        if (mip >= 2u) {
            i32 limited = clamp(fixed_, 0, top << 8);
            l.first = u32(limited >> 8);
            l.weight = float(limited & 255) / 256.0;
        }
    }
    l.linear = (filter_ & 1u) != 0u;
    return l;
}

/* ---- texels ---- */

bool comparison(U32 how, const float reference, const float texel)
{
    bool less = reference < texel, same = reference == texel, more = reference > texel;
    switch (how) {
    case 0u: return false;
    case 1u: return less;
    case 2u: return same;
    case 3u: return less || same;
    case 4u: return more;
    case 5u: return reference != texel;
    case 6u: return more || same;
    default: return true;
    }
}
/* x and y within the level mip, or negative: the border; z counts from the view's first slice. */
uvec4 sampled_texel(const sampling o, VIEW_ARGS, U32 mip, const i32 x, const i32 y, const i32 z, U32 ask, const float reference)
{
    uvec4 r = QUAD_AT(V_BORDER);
    if (x >= 0 && y >= 0 && z >= 0) {
        u32 first = (FLAGS(o.what) & VF_VOLUME) != 0u ? o.slices.w : 0u, bytes = ROW_BYTES(ROW(o.what)); /* depth counts from the volume's beginning */
        u64 at = element_at(VIEW, mip, u32(x), u32(y), u32(z) - first, 0u, bytes);
        r = texel_of(o.what, element_load(at, bytes));
    }
    if ((ask & ASK_COMPARE) != 0u)
        r = uvec4(comparison(SF(o, SF_COMPARE), reference, as_f32(r.x)) ? 0x3f800000u : 0u, 0u, 0u, 0x3f800000u);
    return r;
}
float limited_reference(const sampling o, U32 reference)
{
    return as_f32((FLAGS(o.what) & VF_REFERENCE) != 0u ? limited_to_one(reference) : reference);
}
u32 mixed_word(U32 reduction, U32 a, U32 b, const float weight)
{
    precise float difference = as_f32(b) - as_f32(a);
    precise float part = weight * difference;
    precise float sum = as_f32(a) + part;
    bool less = as_f32(b) < as_f32(a), more = as_f32(b) > as_f32(a), lost = isnan(as_f32(a));
    return reduction == 1u ? (less || lost ? b : a) : reduction == 2u ? (more || lost ? b : a) : as_u32(sum);
}
uvec4 mixed(U32 reduction, const uvec4 a, const uvec4 b, const float weight)
{
    return uvec4(mixed_word(reduction, a.x, b.x, weight), mixed_word(reduction, a.y, b.y, weight), mixed_word(reduction, a.z, b.z, weight),
                 mixed_word(reduction, a.w, b.w, weight));
}
/* The layer, counted from the view's first one, to the nearest even. */
i32 layer_of(const sampling o, U32 r)
{
    float x = as_f32(r);
    return (FLAGS(o.what) & VF_ARRAY) != 0u ? i32(min(max(isnan(x) ? 0.0 : roundEven(x), 0.0), float(LAYERS(o)))) : 0;
}
i32 texel_offset(U32 offsets, U32 n) { return i32(offsets << (26u - 8u * n)) >> 26; }

/* Where the coordinates lie along axis n of a level. */
axis level_axis(const sampling o, U32 n, U32 texels, const bool linear, const bool unnormalized, U32 coordinate, U32 offsets)
{
    if (n >= AXES(o))
        return axis(0, 0, 0.0);
    u32 z = SF(o, SF_Z);
    bool own = n == 2u && z != 0u;
    return axis_of(SF(o, SF_CLAMP(n)), own ? z == 2u : linear, (o.lod.x & SF_TRUNCATE) != 0u, unnormalized,
                   i32(texels), as_f32(coordinate), texel_offset(offsets, n));
}

/* ---- operations ---- */

#define SAMPLE_ARGS U32 s, U32 t, U32 r, U32 lod, U32 min_lod, U32 reference, STEP_ARGS, U32 offsets, U32 ask
#define SAMPLE s, t, r, lod, min_lod, reference, STEPS, offsets, ask

/* One texel after the other of up to two levels; what has no weight is left out. */
uvec4 blended(const sampling o, VIEW_ARGS, SAMPLE_ARGS)
{
    bool unnormalized = sampler_unnormalized(o, ask), volume = (FLAGS(o.what) & VF_VOLUME) != 0u, more = true;
    levels l = levels_of(o, ask, lod, min_lod, STEPS);
    u32 n = 0u, level = 0u, reduction = SF(o, SF_REDUCTION);
    float limit = limited_reference(o, reference);
    i32 layer = layer_of(o, r);
    uvec4 row = uvec4(0u), plane = uvec4(0u), space = uvec4(0u), total = uvec4(0u);
    if ((FLAGS(o.what) & VF_INTEGER) != 0u) { /* integers are not mixed */
        l.linear = false;
        l.weight = 0.0;
    }
    do {
        u32 mip = l.first + level;
        axis x = level_axis(o, 0u, MIP_AT(mip, M_BASE).w, l.linear, unnormalized, s, offsets),
             y = level_axis(o, 1u, MIP_AT(mip, M_MORE).x, l.linear, unnormalized, t, offsets),
             z = level_axis(o, 2u, MIP_AT(mip, M_REST).x, l.linear, unnormalized, r, offsets);
        u32 left_out = (x.weight == 0.0 ? 1u : 0u) | (y.weight == 0.0 ? 2u : 0u) | (z.weight == 0.0 ? 4u : 0u), ended = n | left_out;
        uvec4 texel = sampled_texel(o, VIEW, mip, (n & 1u) != 0u ? x.next : x.at, (n & 2u) != 0u ? y.next : y.at,
                                    !volume ? layer : (n & 4u) != 0u ? z.next : z.at, ask, limit);
        row = (n & 1u) != 0u ? mixed(reduction, row, texel, x.weight) : texel;
        if ((ended & 1u) != 0u)
            plane = (n & 2u) != 0u ? mixed(reduction, plane, row, y.weight) : row;
        if ((ended & 3u) == 3u)
            space = (n & 4u) != 0u ? mixed(reduction, space, plane, z.weight) : plane;
        n = (ended + 1u) & ~left_out & 7u;
        if (n == 0u) {
            total = level != 0u ? mixed(reduction, total, space, l.weight) : space;
            more = level == 0u && l.weight != 0.0;
            level++;
        }
    } while (more);
    return total;
}
uvec4 image_sample(const bool on, VIEW_ARGS, SAMPLE_ARGS, const bool halves)
{
    uvec4 result = uvec4(0u);
    if (on) {
        sampling o = sampling_of(VIEW);
        if ((FLAGS(o.what) & VF_BOUND) != 0u)
            result = selected(SELECTS(o.what), blended(o, VIEW, SAMPLE), one_of(o.what));
        if (halves)
            result = as_halves(ROW(o.what), result);
    }
    return result;
}
/* The four texels that a linear filter would read: (0,1), (1,1), (1,0), (0,0). */
uvec4 image_gather(const bool on, VIEW_ARGS, SAMPLE_ARGS, const bool halves)
{
    uvec4 result = uvec4(0u);
    if (on) {
        sampling o = sampling_of(VIEW);
        if ((FLAGS(o.what) & VF_BOUND) != 0u) {
            bool unnormalized = sampler_unnormalized(o, ask), volume = (FLAGS(o.what) & VF_VOLUME) != 0u;
            levels l = levels_of(o, ask, lod, min_lod, STEPS);
            axis x = level_axis(o, 0u, MIP_AT(l.first, M_BASE).w, true, unnormalized, s, offsets),
                 y = level_axis(o, 1u, MIP_AT(l.first, M_MORE).x, true, unnormalized, t, offsets),
                 z = level_axis(o, 2u, MIP_AT(l.first, M_REST).x, true, unnormalized, r, offsets);
            float limit = limited_reference(o, reference);
            i32 layer = layer_of(o, r);
            u32 n = 0u;
            do {
                uvec4 texel = sampled_texel(o, VIEW, l.first, n == 1u || n == 2u ? x.next : x.at, n < 2u ? y.next : y.at, volume ? z.at : layer, ask,
                                            limit);
                result = with_word(result, n, word_at(selected(SELECTS(o.what), texel, one_of(o.what)), ASK_COMPONENT(ask)));
                n++;
            } while (n < 4u);
        }
        if (halves)
            result = as_halves(ROW(o.what), result);
    }
    return result;
}
/* The level that a sample would take: limited, and as computed. */
uvec4 image_lod(const bool on, VIEW_ARGS, SAMPLE_ARGS, const bool halves)
{
    uvec4 result = uvec4(0u);
    sampling o;
    if (on)
        o = sampling_of(VIEW);
    if (on && (FLAGS(o.what) & VF_BOUND) != 0u) {
        i32 top = TOP_LEVEL(o);
        u32 mip = SF(o, SF_MIP);
        float level = level_wanted(o, ask, lod, STEPS), reached = min(max(level_limited(o, ask, min_lod, level), 0.0), float(top));
        if (mip == 1u)
            reached = float(clamp((level_fixed(reached) + 127) >> 8, 0, top));
        result = uvec4(mip == 0u ? 0u : as_u32(reached), as_u32(level), 0u, 0u);
    }
    return halves ? as_halves(0u, result) : result;
}

/* ---- quads ---- */

u32 difference_of(U32 a, U32 b)
{
    precise float r = as_f32(a) - as_f32(b);
    return as_u32(r);
}
/* The quad's first lane that runs, by the word of the mask that has its bits; without one the lane itself. */
u32 quad_leader(U32 word, U32 lane)
{
    u32 bits = word >> (lane & 28u) & 15u;
    return bits == 0u ? lane : (lane & ~3u) + u32(findLSB(bits));
}
