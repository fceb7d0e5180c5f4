/* For spirv/'s own tests: modules of programs in the text form. */
#ifndef SPIRV_SPIRV_TESTING_H
#define SPIRV_SPIRV_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "spirv/spirv.h"

/* NULL, with why in reason: the program is left to another device. */
static inline struct spirv_module *testing_try(const char *text, const struct spirv_options *options,
                                               char reason[SPIRV_REASON_SIZE])
{
    char error[200];
    struct ir_func *func = ir_parse(text, strlen(text), error, sizeof error);
    if (!func)
        fail_msg("%s", error);
    assert_null(ir_validate(func, NULL));
    struct spirv_library *library = spirv_library_create();
    assert_non_null(library);
    struct spirv_module *m = spirv_module_create(library, func, options, reason);
    spirv_library_destroy(library);
    ir_func_destroy(func);
    return m;
}

static inline struct spirv_module *testing_make(const char *text, const struct spirv_options *options)
{
    char reason[SPIRV_REASON_SIZE];
    struct spirv_module *m = testing_try(text, options, reason);
    if (!m)
        fail_msg("%s", reason);
    return m;
}

#endif
