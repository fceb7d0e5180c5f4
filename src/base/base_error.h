/* base_error: the text of one failure, with its place and reason, on its way up to whoever shows it. */
#ifndef BASE_BASE_ERROR_H
#define BASE_BASE_ERROR_H

#include <stdbool.h>

enum { BASE_ERROR_TEXT = 512 };

/* Plain data, owned by whoever declared it; text is always terminated. */
struct base_error {
    char text[BASE_ERROR_TEXT];
};

/* Writes the text (cut to fit) and returns false, so that a function can end with `return base_error_set(...)`. A NULL error
 * is fine: the caller doesn't want to know why. */
__attribute__((format(printf, 2, 3))) bool base_error_set(struct base_error *error, const char *format, ...);

#endif
