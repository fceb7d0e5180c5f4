/* shim_page: the last page of a file that processes share: what the file is, and what its users tell each other. The layout is
 * read by every process that gets the descriptor, and may be written by any of them, so nothing in it is trusted. */
#ifndef SHIM_SHIM_PAGE_H
#define SHIM_SHIM_PAGE_H

#include <stdatomic.h>
#include <stdint.h>

enum shim_page_kind { SHIM_PAGE_BUFFER = 1, SHIM_PAGE_SYNCOBJ = 2 };

enum {
    SHIM_PAGE_BYTES = 4096,
    SHIM_PAGE_VERSION = 1,
    SHIM_PAGE_MAGIC_BYTES = 16,
    SHIM_PAGE_METADATA_BYTES = 256,
    SHIM_PAGE_USERS = 16,
    SHIM_PAGE_ENTRIES = 32,
};

#define SHIM_PAGE_MAGIC "tenfold shared\n" /* with its zero, 16 bytes */

/* A process, so that its end is noticed: numbers are given again, but not at the same time. */
struct shim_owner {
    _Atomic uint64_t process; /* pid; 0: nobody */
    _Atomic uint64_t born;    /* field 22 of /proc/PID/stat */
    _Atomic uint64_t space;   /* inode of its pid namespace */
};

/* A process's work on a buffer. */
struct shim_user {
    struct shim_owner owner;
    _Atomic uint64_t begun, ended; /* submissions that use the buffer */
};

/* What a syncobj stood for from some moment on. tag says which moment, counted from 1, and enum shim_entry_state. */
struct shim_moment {
    _Atomic uint64_t tag;
    _Atomic uint64_t point; /* of the timeline; 0: a plain fence */
    struct shim_owner owner;
};

struct shim_page {
    char magic[SHIM_PAGE_MAGIC_BYTES];
    uint32_t version, kind;
    _Atomic uint32_t changes; /* a futex; counts what may interest who waits */
    uint32_t padding;
    /* BUFFER */
    uint64_t bytes, alignment, flags;
    uint32_t domains;
    _Atomic uint32_t metadata_changes; /* odd while the metadata are being written */
    uint64_t metadata_flags, metadata_tiling;
    uint32_t metadata_bytes, padding2;
    uint8_t metadata[SHIM_PAGE_METADATA_BYTES];
    struct shim_user users[SHIM_PAGE_USERS];
    /* SYNCOBJ */
    _Atomic uint64_t moments; /* so far */
    struct shim_moment entries[SHIM_PAGE_ENTRIES];
};

_Static_assert(sizeof(struct shim_page) <= SHIM_PAGE_BYTES, "the shared page has one page");

#endif
