/* layout_table: reads the tables of layouts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "layout_table.h"

static _Noreturn void give_up(const char *path, const char *why)
{
    fprintf(stderr, "%s: %s\n", path, why);
    exit(1);
}

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        give_up(path, "cannot be opened");
    long end = ftell(file);
    char *bytes = end > 0 ? malloc((size_t)end) : NULL;
    rewind(file);
    if (!bytes || fread(bytes, 1, (size_t)end, file) != (size_t)end)
        give_up(path, "cannot be read");
    fclose(file);
    *size = (size_t)end;
    return bytes;
}

void layout_table_init(struct layout_table *table, const char *folder, const char *config, const char *part)
{
    char path[4096];
    size_t packed_size;
    snprintf(path, sizeof path, "%s/%s%s%s.tsv.zst", folder, config, *config ? "." : "", part);
    char *packed = read_file(path, &packed_size);
    unsigned long long size = ZSTD_getFrameContentSize(packed, packed_size);
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN)
        give_up(path, "does not say how much it holds");
    table->text = malloc(size + 1);
    if (!table->text || ZSTD_isError(ZSTD_decompress(table->text, size, packed, packed_size)))
        give_up(path, "is damaged");
    table->text[size] = 0;
    table->at = table->text;
    free(packed);
}

void layout_table_finish(struct layout_table *table)
{
    free(table->text);
}

bool layout_table_next(struct layout_table *table, struct layout_record *record)
{
    char *line = strsep(&table->at, "\n");
    record->count = 0;
    if (!line || !*line)
        return false;
    while (line && record->count < LAYOUT_MOST_FIELDS)
        record->fields[record->count++] = strsep(&line, "\t");
    return true;
}

uint64_t layout_number(const struct layout_record *record, unsigned field)
{
    return field < record->count ? strtoull(record->fields[field], NULL, 10) : 0;
}

uint64_t layout_hex(const struct layout_record *record, unsigned field)
{
    return field < record->count ? strtoull(record->fields[field], NULL, 16) : 0;
}

const char *layout_line(const struct layout_record *record, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (unsigned n = 0; n < record->count && used < size; n++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", n ? " " : "", record->fields[n]);
    return text;
}
