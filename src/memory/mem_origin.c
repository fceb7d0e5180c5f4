/* mem_origin: what file, if any, is behind memory of the caller's. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "memory/mem_internal.h"

/* A line of the host's list of mappings. */
struct line {
    uint64_t start, end, offset, inode;
    bool shared;
};

static bool read_line(FILE *list, char **text, size_t *room, struct line *line)
{
    enum { SHARED = 3, RIGHTS = 5 };
    char rights[RIGHTS];
    if (getline(text, room, list) < 0)
        return false;
    int found = sscanf(*text, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*x:%*x %" SCNu64, &line->start, &line->end, rights,
                       &line->offset, &line->inode);
    line->shared = found == RIGHTS && rights[SHARED] == 's' && line->inode;
    return found == RIGHTS;
}

/* Private pages of a file are nobody else's. */
struct mem_origin mem_origin_of(const void *host, uint64_t size)
{
    const uint64_t start = (uintptr_t)host, end = start + size;
    struct mem_origin origin = {MEM_FILE_NONE, start};
    FILE *list = fopen("/proc/self/maps", "re");
    char *text = NULL;
    size_t room = 0, met = 0;
    struct line line = {0};
    bool mixed = !list;
    while (list && read_line(list, &text, &room, &line) && line.start < end) {
        struct mem_origin here = {MEM_FILE_NONE, start};
        if (line.end <= start)
            continue;
        if (line.shared)
            here = (struct mem_origin){line.inode, line.offset + (start - line.start)};
        mixed |= line.shared && line.start > start && !met;
        mixed |= met++ && (here.file != origin.file || here.offset != origin.offset);
        origin = here;
    }
    free(text);
    if (list)
        fclose(list);
    return mixed ? (struct mem_origin){MEM_FILE_UNKNOWN, 0} : origin;
}
