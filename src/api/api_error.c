/* api_error: how the public calls fail and log. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/api_internal.h"

const char *tf_status_name(enum tf_status status)
{
    static const char *const names[] = {
        [TF_OK] = "ok",
        [TF_ERROR_ARGUMENT] = "bad argument",
        [TF_ERROR_MEMORY] = "out of memory",
        [TF_ERROR_OBJECT] = "bad code object",
        [TF_ERROR_NOT_FOUND] = "not found",
        [TF_ERROR_UNMAPPED] = "unmapped memory",
        [TF_ERROR_LIMIT] = "over a limit",
        [TF_ERROR_LOST] = "queue lost",
        [TF_ERROR_UNSUPPORTED] = "not supported",
    };
    bool known = (unsigned)status < sizeof names / sizeof names[0];
    return known ? names[status] : "unknown status";
}

enum tf_status api_fail(struct tf_error *error, enum tf_status status, const char *format, ...)
{
    if (!error)
        return status;
    va_list list;
    va_start(list, format);
    vsnprintf(error->text, sizeof error->text, format, list);
    va_end(list);
    error->status = status;
    return status;
}

/* Every sized structure begins with its size. */
static size_t stated_size(const void *structure)
{
    size_t size = 0;
    if (structure)
        memcpy(&size, structure, sizeof size);
    return size;
}

bool api_copy_in(void *ours, size_t our_size, const void *theirs)
{
    size_t size = stated_size(theirs);
    memset(ours, 0, our_size);
    if (size <= sizeof size)
        return false;
    memcpy(ours, theirs, size < our_size ? size : our_size);
    return true;
}

bool api_copy_out(void *theirs, const void *ours, size_t our_size)
{
    size_t size = stated_size(theirs);
    if (size <= sizeof size)
        return false;
    size_t part = size < our_size ? size : our_size;
    memcpy((char *)theirs + sizeof size, (const char *)ours + sizeof size, part - sizeof size);
    return true;
}

void api_log(const struct tf_gpu *gpu, enum tf_log_level level, const char *format, ...)
{
    char text[TF_ERROR_TEXT];
    if (!gpu->log)
        return;
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    gpu->log(gpu->log_user, level, text);
}
