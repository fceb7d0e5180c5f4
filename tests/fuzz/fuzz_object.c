/* fuzz_object: feeds arbitrary bytes to the code-object reader; whatever it accepts is laid out and relocated too.
 *
 * Built for libFuzzer (-Dlibfuzzer=true) it searches; otherwise it runs the files, or the folders of files, that it is given. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "object/object.h"

static const uint64_t largest_image = UINT64_C(16) << 20;
static const uint64_t load_address = UINT64_C(0x300000010000);

/* Touches what the reader promises: the sanitizers say whether it keeps the promise. */
static size_t read_promises(const struct obj_object *object)
{
    size_t sum = strlen(object->chip);
    for (size_t n = 0; n < object->kernel_count; n++) {
        const struct obj_kernel *kernel = &object->kernels[n];
        sum += strlen(kernel->name) + strlen(kernel->symbol);
        for (size_t arg = 0; arg < kernel->arg_count; arg++)
            sum += strlen(kernel->args[arg].name) + strlen(kernel->args[arg].type_name);
        if (!obj_kernel_find(object, kernel->name))
            abort();
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct obj_object *object;
    struct base_error error = {0};
    if (!obj_open(data, size, &object, &error)) {
        if (!error.text[0])
            abort();
        return 0;
    }
    read_promises(object);
    if (object->image_size <= largest_image) {
        uint8_t *image = calloc(1, object->image_size);
        if (image)
            obj_image_write(object, image, load_address, &error);
        free(image);
    }
    obj_close(object);
    return 0;
}

#ifndef TENFOLD_LIBFUZZER
int main(int argc, char **argv)
{
    return fuzz_run_files(argc, argv);
}
#endif
