/* fuzz_image: decodes arbitrary image descriptors and samplers, and reads, samples and gathers through them with arbitrary
 * coordinates: every element that is asked for lies inside its level, every address inside the surface, and keys are found for
 * all of them.
 *
 * The input: a byte that chooses the chip (low four bits) and the form (the fifth: the short one), a byte of requests, 8 words
 * T#, 4 words S#, then coordinates as raw floats and integers, 20 words each time around.
 *
 * Built for libFuzzer it searches; otherwise it runs the files, or the folders of files, that it is given. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "image/image_layout.h"
#include "image/image_meta.h"
#include "image/image_sampler.h"
#include "image/image_view.h"

enum { COORDINATE_WORDS = 20, MOST_ROUNDS = 8, SHORT_FORM = 1 << 4, CHIP_BITS = 15 };

struct input {
    uint8_t choices, requests;
    uint32_t image[8], sampler[4];
} __attribute__((packed));

static void require(bool condition)
{
    if (!condition)
        abort();
}

/* What the elements are read from: nothing is stored, but every place is checked. */
struct reader {
    const struct image_view *view;
    const struct image_keys *keys; /* NULL: it has none */
    uint64_t fetched;
};

static uint32_t slices_of(const struct image_view *view, const struct image_mip *level)
{
    return view->volume ? level->depth : view->last_slice + 1u;
}

static void check_key(const struct reader *reader, unsigned mip, uint32_t x, uint32_t y, uint32_t z)
{
    struct image_key key = image_key_find(reader->keys, mip, x, y, z);
    uint8_t element[IMAGE_MAX_TEXEL_BYTES];
    for (uint32_t value = 0; value < 256; value++)
        if (image_key_meaning(reader->keys, &key, value * 0x01010101u) == IMAGE_KEY_CLEARED)
            image_key_clear(reader->keys, value * 0x01010101u, element);
    require(key.address - reader->keys->base < reader->keys->layout.slice_bytes * (z + UINT64_C(1)));
}

static bool element(void *user, unsigned mip, uint32_t x, uint32_t y, uint32_t z, uint32_t sample, uint8_t *bytes)
{
    struct reader *reader = user;
    const struct image_view *view = reader->view;
    require(mip <= view->max_mip);
    const struct image_mip *level = &view->mips[mip];
    require(x < level->columns && y < level->rows && z < slices_of(view, level) && sample < 1u << view->samples);
    uint64_t address = image_view_address(view, mip, x, y, z, sample);
    uint64_t groups = (z >> view->block_z) + UINT64_C(1), size = groups * view->slice_bytes;
    if (!view->block_bytes) /* a pitch of its own may be shorter than a row */
        size += (uint64_t)level->columns * view->element_bytes;
    require(address >= view->base && address + view->element_bytes <= view->base + size);
    if (reader->keys)
        check_key(reader, mip, x, y, z);
    memset(bytes, (int)(reader->fetched++ * 37), view->element_bytes);
    return address & 4096;
}

static void make_request(uint8_t bits, struct image_request *request)
{
    *request = (struct image_request){
        .lod = bits & 3 ? (bits & 3) - 1 : IMAGE_LOD_DERIVED,
        .component = bits >> 2 & 3,
        .bias = bits >> 4 & 1,
        .clamp = bits >> 5 & 1,
        .compare = bits >> 6 & 1,
        .unnormalized = bits >> 7 & 1,
    };
}

static void take_coordinates(const uint32_t words[COORDINATE_WORDS], struct image_coordinates *at, struct image_place *place)
{
    memcpy(at, words, sizeof *at < COORDINATE_WORDS * sizeof *words ? sizeof *at : COORDINATE_WORDS * sizeof *words);
    for (unsigned n = 0; n < 3; n++)
        at->offset[n] = (int8_t)((words[12] >> 8 * n & 63) - 32);
    *place = (struct image_place){words[13], words[14], words[15], words[16] % IMAGE_MIPS, words[17] % 16};
}

static void run_round(const struct image_sampling *sampled, const struct image_sampling *loaded, struct reader *reader,
                      const struct image_request *request, const uint32_t words[COORDINATE_WORDS])
{
    struct image_fetch fetch = {reader, element};
    struct image_coordinates at = {0};
    struct image_place place;
    struct image_texel texel;
    take_coordinates(words, &at, &place);
    image_sample_lane(sampled, &fetch, request, &at, &texel);
    image_gather_lane(sampled, &fetch, request, &at, &texel);
    image_lod_lane(sampled, request, &at, &texel);
    image_load_lane(loaded, &fetch, &place, &texel);
    image_resinfo_lane(loaded->view, place.mip, &texel);
    if (reader->view->format) {
        uint8_t bytes[IMAGE_MAX_TEXEL_BYTES];
        image_store_element(loaded, &texel, bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input;
    struct image_view view;
    struct image_keys keys;
    struct image_sampler sampler;
    struct image_sampling sampled, loaded;
    struct image_request request;
    if (size < sizeof input)
        return 0;
    memcpy(&input, data, sizeof input);
    data += sizeof input;
    size -= sizeof input;
    const struct image_config *config = image_config_of((enum image_chip)((input.choices & CHIP_BITS) % IMAGE_CHIP_COUNT));
    uint32_t image[8], words[COORDINATE_WORDS], sampler_words[4], border[4] = {0, 1, 2, 3};
    memcpy(image, input.image, sizeof image);
    memcpy(sampler_words, input.sampler, sizeof sampler_words);
    if (image_view_decode(config, image, input.choices & SHORT_FORM, &view))
        return 0;
    image_sampler_decode(sampler_words, &sampler);
    if (image_sampling_prepare(&sampled, &view, &sampler, border) || image_sampling_prepare(&loaded, &view, NULL, NULL))
        return 0;
    bool has_keys = view.format && view.compressed && !image_keys_make(&view, &keys);
    struct reader reader = {&view, has_keys ? &keys : NULL, 0};
    make_request(input.requests, &request);
    for (unsigned round = 0; round < MOST_ROUNDS && size >= sizeof words; round++, data += sizeof words, size -= sizeof words) {
        memcpy(words, data, sizeof words);
        run_round(&sampled, &loaded, &reader, &request, words);
    }
    return 0;
}

#ifndef TENFOLD_LIBFUZZER
int main(int argc, char **argv)
{
    return fuzz_run_files(argc, argv);
}
#endif
