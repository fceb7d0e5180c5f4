/* base_error: formats the text of a failure. */
#include "base/base_error.h"

#include <stdarg.h>
#include <stdio.h>

bool base_error_set(struct base_error *error, const char *format, ...)
{
    if (!error)
        return false;
    va_list list;
    va_start(list, format);
    vsnprintf(error->text, sizeof error->text, format, list);
    va_end(list);
    return false;
}
