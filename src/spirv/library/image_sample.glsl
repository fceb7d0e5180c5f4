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
/* A coordinate in 1/256 of a texel, from the middle of the first one on where two are mixed. */
i32 axis_fixed(U32 mode, const bool linear, const bool truncate, const bool unnormalized, const i32 texels, const float coordinate, const i32 offset)
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
    return i32(floor(rounded)) - (linear ? 128 : 0);
}
float weight_of(const bool linear, const i32 fixed_) { return linear ? float(fixed_ & 255) / 256.0 : 0.0; }
/* The one or two texels that a coordinate reads, -1: the border; the weight of the second, 0: only the first counts. */
struct axis { i32 at, next; float weight; };
axis axis_of(U32 mode, const bool linear, const bool truncate, const bool unnormalized, const i32 texels, const float coordinate, const i32 offset)
{
    i32 fixed_ = axis_fixed(mode, linear, truncate, unnormalized, texels, coordinate, offset), first = fixed_ >> 8;
    return axis(wrapped(mode, first, texels), wrapped(mode, first + 1, texels), weight_of(linear, fixed_));
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
/* How many probes a footprint takes. */
u32 probes_of(const sampling o, const float longer, const float shorter)
{
    bool anisotropic = SF(o, SF_MAG) >= 2u || SF(o, SF_MIN) >= 2u;
    float most = float(1u << SF(o, SF_ANISO));
    if (!anisotropic || !(longer > 0.0) || isinf(longer))
        return 1u;
    return u32(min(shorter > 0.0 ? ceil(longer / shorter) : most, most));
}
/* The level before clamping. */
struct wanted { float level; u32 probes; bool along_x; };
wanted level_wanted(const sampling o, U32 ask, U32 lod, STEP_ARGS)
{
    precise float level = 0.0;
    u32 probes = 1u;
    bool along_x = true;
    if (ASK_LOD(ask) == ASK_GIVEN)
        level = as_f32(lod);
    if (ASK_LOD(ask) == ASK_DERIVED) {
        float x = step_length(o, dxs, dxt, dxr), y = step_length(o, dys, dyt, dyr);
        along_x = x >= y;
        probes = probes_of(o, along_x ? x : y, along_x ? y : x);
        precise float part = (along_x ? x : y) / float(probes);
        level = level_log2(part);
        if ((ask & ASK_BIAS) != 0u)
            level += as_f32(lod);
    }
    level += as_f32(o.lod.w);
    return wanted(level, probes, along_x);
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
struct levels { bool linear; u32 first; float weight; u32 probes; bool along_x; };
bool sampler_unnormalized(const sampling o, U32 ask) { return (ask & ASK_UNNORMALIZED) != 0u || (o.lod.x & SF_UNNORMALIZED) != 0u; }
levels levels_of(const sampling o, U32 ask, U32 lod, U32 min_lod, STEP_ARGS)
{
    levels l = levels(false, 0u, 0.0, 1u, true);
    u32 filter_ = SF(o, SF_MAG), mip = SF(o, SF_MIP);
    i32 top = TOP_LEVEL(o);
    if (!sampler_unnormalized(o, ask)) {
        wanted w = level_wanted(o, ask, lod, STEPS);
        i32 fixed_ = level_fixed(level_limited(o, ask, min_lod, w.level));
        filter_ = fixed_ > 0 ? SF(o, SF_MIN) : filter_;
        l.probes = filter_ >= 2u ? w.probes : 1u;
        l.along_x = w.along_x;
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
        u32 flags = FLAGS(o.what);
        u32 column = u32(x) >> ACROSS(flags), line = u32(y) >> DOWN(flags);
        u64 at = element_at(VIEW, mip, column, line, u32(z) - first, 0u, bytes);
        r = texel_of(o.what, keyed_element_absent(VIEW, o.what, at, mip, column, line, u32(z) - first), texel_number(flags, u32(x), u32(y)));
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
axis level_axis(const sampling o, U32 n, U32 texels, const bool linear, const bool unnormalized, const float coordinate, U32 offsets)
{
    if (n >= AXES(o))
        return axis(0, 0, 0.0);
    u32 z = SF(o, SF_Z);
    bool own = n == 2u && z != 0u;
    return axis_of(SF(o, SF_CLAMP(n)), own ? z == 2u : linear, (o.lod.x & SF_TRUNCATE) != 0u, unnormalized,
                   i32(texels), coordinate, texel_offset(offsets, n));
}

/* ---- cubes ---- */

/* Directions: an axis twice, and 1 where it is against it. A face looks in the direction of its number; these are where its x and y grow. */
#define FACE_X(face) (0x100045u >> (4u * (face)) & 7u)
#define FACE_Y(face) (0x335433u >> (4u * (face)) & 7u)
i32 along(const ivec3 point, U32 direction)
{
    u32 n = direction >> 1;
    i32 r = n == 0u ? point.x : n == 1u ? point.y : point.z;
    return (direction & 1u) != 0u ? -r : r;
}
ivec3 placed(const ivec3 point, U32 direction, const i32 value)
{
    u32 n = direction >> 1;
    i32 v = (direction & 1u) != 0u ? -value : value;
    return ivec3(n == 0u ? v : point.x, n == 1u ? v : point.y, n == 2u ? v : point.z);
}
/* The texel beside a face's edge: its face, x and y. The edge folds: beyond it the face's own outward axis goes down by half a texel. */
ivec3 cube_neighbour(U32 face, const i32 x, const i32 y, const i32 size)
{
    bool past_x = x < 0 || x >= size;
    u32 next = (past_x ? FACE_X(face) : FACE_Y(face)) ^ ((past_x ? x : y) < 0 ? 1u : 0u);
    ivec3 point = placed(ivec3(0), face, size - 1);
    point = placed(point, FACE_X(face), 2 * x + 1 - size);
    point = placed(point, FACE_Y(face), 2 * y + 1 - size);
    return ivec3(i32(next), (along(point, FACE_X(next)) + size - 1) / 2, (along(point, FACE_Y(next)) + size - 1) / 2);
}
/* The face, and the cube's first one, counted from the view's first: cubes are 8 apart in the coordinate. */
ivec2 face_of(const sampling o, U32 r)
{
    u32 last = LAYERS(o);
    float x = as_f32(r);
    u32 number_ = u32(min(max(isnan(x) ? 0.0 : roundEven(x), 0.0), float(last / 6u * 8u + 7u)));
    u32 first = number_ / 8u * 6u, face = min(number_ % 8u, 5u);
    return ivec2(i32(first + face <= last ? face : 0u), i32(first));
}
uvec4 cube_texel(const sampling o, VIEW_ARGS, U32 mip, const ivec2 face, const i32 x, const i32 y, const i32 size, U32 ask, const float reference)
{
    ivec3 at = ivec3(face.x, x, y);
    bool past_x = x < 0 || x >= size, past_y = y < 0 || y >= size;
    if ((FLAGS(o.what) & VF_FACES_APART) != 0u)
        at = ivec3(face.x, wrapped(SF(o, SF_CLAMP(0u)), x, size), wrapped(SF(o, SF_CLAMP(1u)), y, size));
    else if (past_x || past_y)
        at = cube_neighbour(u32(face.x), clamp(x, -1, size), past_x ? clamp(y, 0, size - 1) : clamp(y, -1, size), size);
    return sampled_texel(o, VIEW, mip, at.y, at.z, min(face.y + at.x, i32(LAYERS(o))), ask, reference);
}
/* The footprint's texels, left and right of the upper row, then of the lower; only the first where no other counts. Beyond a corner stands the
 * mean of the three that are there. */
void cube_texels(const sampling o, VIEW_ARGS, U32 mip, const ivec2 face, const ivec2 fixed_, U32 count, U32 ask, const float reference, out uvec4 t0,
                 out uvec4 t1, out uvec4 t2, out uvec4 t3)
{
    i32 size = i32(MIP_AT(mip, M_BASE).w);
    u32 n = 0u, corner = 4u;
    t0 = t1 = t2 = t3 = uvec4(0u);
    do {
        i32 x = (fixed_.x >> 8) + i32(n & 1u), y = (fixed_.y >> 8) + i32(n >> 1);
        bool beyond = (x < 0 || x >= size) && (y < 0 || y >= size) && (FLAGS(o.what) & VF_FACES_APART) == 0u;
        uvec4 texel = uvec4(0u);
        if (beyond && count > 1u)
            corner = n;
        else
            texel = cube_texel(o, VIEW, mip, face, x, y, size, ask, reference);
        t0 = n == 0u ? texel : t0;
        t1 = n == 1u ? texel : t1;
        t2 = n == 2u ? texel : t2;
        t3 = n == 3u ? texel : t3;
        n++;
    } while (n < count);
    precise vec4 sum = uintBitsToFloat(t0) + uintBitsToFloat(t1);
    sum += uintBitsToFloat(t2);
    sum += uintBitsToFloat(t3);
    precise vec4 mean = sum / 3.0;
    uvec4 middle = floatBitsToUint(mean);
    t0 = corner == 0u ? middle : t0;
    t1 = corner == 1u ? middle : t1;
    t2 = corner == 2u ? middle : t2;
    t3 = corner == 3u ? middle : t3;
}
ivec2 cube_fixed(const sampling o, VIEW_ARGS, U32 mip, const bool linear, const bool unnormalized, const vec3 at, U32 offsets)
{
    i32 size = i32(MIP_AT(mip, M_BASE).w);
    bool truncate = (o.lod.x & SF_TRUNCATE) != 0u;
    return ivec2(axis_fixed(2u, linear, truncate, unnormalized, size, at.x, texel_offset(offsets, 0u)),
                 axis_fixed(2u, linear, truncate, unnormalized, size, at.y, texel_offset(offsets, 1u)));
}
uvec4 cube_level(const sampling o, VIEW_ARGS, U32 mip, const ivec2 face, const bool linear, const bool unnormalized, const vec3 at, U32 offsets, U32 ask,
                 const float reference)
{
    ivec2 fixed_ = cube_fixed(o, VIEW, mip, linear, unnormalized, at, offsets);
    float across = weight_of(linear, fixed_.x), down = weight_of(linear, fixed_.y);
    u32 reduction = SF(o, SF_REDUCTION);
    uvec4 t0, t1, t2, t3;
    cube_texels(o, VIEW, mip, face, fixed_, across == 0.0 && down == 0.0 ? 1u : 4u, ask, reference, t0, t1, t2, t3);
    t0 = across != 0.0 ? mixed(reduction, t0, t1, across) : t0;
    t2 = across != 0.0 ? mixed(reduction, t2, t3, across) : t2;
    return down != 0.0 ? mixed(reduction, t0, t2, down) : t0;
}

/* ---- operations ---- */

#define SAMPLE_ARGS const bool cube, U32 s, U32 t, U32 r, U32 lod, U32 min_lod, U32 reference, STEP_ARGS, U32 offsets, U32 ask
#define SAMPLE cube, s, t, r, lod, min_lod, reference, STEPS, offsets, ask

/* Over a face s and t go from 1 to 2. */
vec3 coordinates_of(const bool cube, U32 s, U32 t, U32 r)
{
    precise vec3 at = vec3(as_f32(s), as_f32(t), as_f32(r)) - (cube ? vec3(1.0, 1.0, 0.0) : vec3(0.0));
    return at;
}
/* One texel after the other of up to two levels, and of all probes along a long footprint; what has no weight is left out. */
uvec4 blended(const sampling o, VIEW_ARGS, SAMPLE_ARGS)
{
    bool unnormalized = sampler_unnormalized(o, ask), volume = (FLAGS(o.what) & VF_VOLUME) != 0u, more = true;
    levels l = levels_of(o, ask, lod, min_lod, STEPS);
    u32 n = 0u, level = 0u, probe = 1u, reduction = SF(o, SF_REDUCTION);
    float limit = limited_reference(o, reference);
    i32 layer = layer_of(o, r);
    ivec2 face = face_of(o, r);
    vec3 middle = coordinates_of(cube, s, t, r), step_ = l.along_x ? vec3(as_f32(dxs), as_f32(dxt), as_f32(dxr)) : vec3(as_f32(dys), as_f32(dyt), as_f32(dyr));
    uvec4 row = uvec4(0u), plane = uvec4(0u), space = uvec4(0u), total = uvec4(0u), all = uvec4(0u);
    if ((FLAGS(o.what) & VF_INTEGER) != 0u) { /* integers are not mixed */
        l.linear = false;
        l.weight = 0.0;
        l.probes = 1u;
    }
    do {
        u32 mip = l.first + level;
        precise float part = float(probe) / float(l.probes + 1u);
        precise float distance_ = part - 0.5;
        precise vec3 moved = distance_ * step_;
        precise vec3 probed = middle + moved;
        vec3 at = l.probes > 1u ? probed : middle;
        if (cube) {
            space = cube_level(o, VIEW, mip, face, l.linear, unnormalized, at, offsets, ask, limit);
        } else {
            axis x = level_axis(o, 0u, MIP_AT(mip, M_BASE).w, l.linear, unnormalized, at.x, offsets),
                 y = level_axis(o, 1u, MIP_AT(mip, M_MORE).x, l.linear, unnormalized, at.y, offsets),
                 z = level_axis(o, 2u, MIP_AT(mip, M_REST).x, l.linear, unnormalized, at.z, offsets);
            u32 left_out = (x.weight == 0.0 ? 1u : 0u) | (y.weight == 0.0 ? 2u : 0u) | (z.weight == 0.0 ? 4u : 0u), ended = n | left_out;
            uvec4 texel = sampled_texel(o, VIEW, mip, (n & 1u) != 0u ? x.next : x.at, (n & 2u) != 0u ? y.next : y.at,
                                        !volume ? layer : (n & 4u) != 0u ? z.next : z.at, ask, limit);
            row = (n & 1u) != 0u ? mixed(reduction, row, texel, x.weight) : texel;
            if ((ended & 1u) != 0u)
                plane = (n & 2u) != 0u ? mixed(reduction, plane, row, y.weight) : row;
            if ((ended & 3u) == 3u)
                space = (n & 4u) != 0u ? mixed(reduction, space, plane, z.weight) : plane;
            n = (ended + 1u) & ~left_out & 7u;
        }
        if (n == 0u) {
            total = level != 0u ? mixed(reduction, total, space, l.weight) : space;
            level = level == 0u && l.weight != 0.0 ? 1u : 0u;
            if (level == 0u) { /* the mean so far, and one more */
                all = probe == 1u ? total : mixed(reduction, all, total, 1.0 / float(probe));
                more = probe < l.probes;
                probe++;
            }
        }
    } while (more);
    return all;
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
u32 gathered(const sampling o, U32 ask, const uvec4 texel)
{
    return word_at(selected(SELECTS(o.what), texel, one_of(o.what)), ASK_COMPONENT(ask));
}
/* The four texels that a linear filter would read: (0,1), (1,1), (1,0), (0,0). */
uvec4 image_gather(const bool on, VIEW_ARGS, SAMPLE_ARGS, const bool halves)
{
    uvec4 result = uvec4(0u);
    if (on) {
        sampling o = sampling_of(VIEW);
        if ((FLAGS(o.what) & VF_BOUND) != 0u) {
            bool unnormalized = sampler_unnormalized(o, ask), volume = (FLAGS(o.what) & VF_VOLUME) != 0u;
            u32 mip = levels_of(o, ask, lod, min_lod, STEPS).first, n = 0u;
            float limit = limited_reference(o, reference);
            vec3 at = coordinates_of(cube, s, t, r);
            if (cube) {
                uvec4 t0, t1, t2, t3;
                cube_texels(o, VIEW, mip, face_of(o, r), cube_fixed(o, VIEW, mip, true, unnormalized, at, offsets), 4u, ask, limit, t0, t1, t2, t3);
                result = uvec4(gathered(o, ask, t2), gathered(o, ask, t3), gathered(o, ask, t1), gathered(o, ask, t0));
            } else {
                axis x = level_axis(o, 0u, MIP_AT(mip, M_BASE).w, true, unnormalized, at.x, offsets),
                     y = level_axis(o, 1u, MIP_AT(mip, M_MORE).x, true, unnormalized, at.y, offsets),
                     z = level_axis(o, 2u, MIP_AT(mip, M_REST).x, true, unnormalized, at.z, offsets);
                i32 layer = layer_of(o, r);
                do {
                    uvec4 texel = sampled_texel(o, VIEW, mip, n == 1u || n == 2u ? x.next : x.at, n < 2u ? y.next : y.at, volume ? z.at : layer, ask, limit);
                    result = with_word(result, n, gathered(o, ask, texel));
                    n++;
                } while (n < 4u);
            }
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
        float level = level_wanted(o, ask, lod, STEPS).level, reached = min(max(level_limited(o, ask, min_lod, level), 0.0), float(top));
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
