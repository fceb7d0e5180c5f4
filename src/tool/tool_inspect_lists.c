/* tool_inspect_lists: tables of a capture's buffers and of its address space. */
#include <inttypes.h>
#include <stdio.h>

#include "tool/tool_inspect.h"

enum { CELL = 48 };

/* amdgpu's memory domains. */
static const char *domain_name(uint32_t domains)
{
    enum { GTT = 2, VRAM = 4 };
    return domains == GTT ? "GTT" : domains == VRAM ? "VRAM" : domains == (GTT | VRAM) ? "VRAM, GTT" : "other";
}

void inspect_buffers(struct inspect *inspect)
{
    static const char *const titles[] = {"buffer", "bytes", "domain", "flags", "kind", "written", "lives", "first address"};
    static const int widths[] = {6, 12, -9, 6, -8, 12, -22, 18};
    tool_document_section(inspect->document, "Buffers");
    tool_document_table(inspect->document, titles, widths, sizeof titles / sizeof titles[0]);
    for (size_t n = 0; n < inspect->buffer_count; n++) {
        const struct capture_event_buffer *buffer = &inspect->state.buffers[n].buffer;
        const struct inspect_buffer *facts = &inspect->buffers[n];
        char number[CELL], bytes[CELL], flags[CELL], written[CELL], life[CELL], address[CELL];
        snprintf(number, CELL, "%" PRIu32, buffer->number);
        snprintf(bytes, CELL, "%" PRIu64, buffer->bytes);
        snprintf(flags, CELL, "0x%" PRIx64, buffer->flags);
        snprintf(written, CELL, "%" PRIu64, facts->written);
        snprintf(life, CELL, facts->is_gone ? "submission %" PRIu32 " to %" PRIu32 : "submission %" PRIu32 " to the end",
                 facts->born + 1, facts->gone);
        snprintf(address, CELL, "0x%" PRIx64, facts->address);
        const char *kind = buffer->traits & CAPTURE_BUFFER_USER       ? "user"
                           : buffer->traits & CAPTURE_BUFFER_IMPORTED ? "imported"
                                                                      : "own";
        const char *const cells[] = {number,  bytes, domain_name(buffer->domains),    flags, kind,
                                     written, life,  facts->is_mapped ? address : "-"};
        tool_document_row(inspect->document, cells);
    }
    tool_document_table_end(inspect->document);
}

static void add_mapping(const struct capture_mapping *mapping, void *user)
{
    struct inspect *inspect = user;
    char from[CELL], to[CELL], bytes[CELL], buffer[CELL], offset[CELL], access[CELL];
    snprintf(from, CELL, "0x%" PRIx64, mapping->address);
    snprintf(to, CELL, "0x%" PRIx64, mapping->address + (mapping->bytes - 1));
    snprintf(bytes, CELL, "%" PRIu64, mapping->bytes);
    snprintf(buffer, CELL, "%" PRIu32, mapping->buffer);
    snprintf(offset, CELL, "0x%" PRIx64, mapping->offset);
    snprintf(access, CELL, "%s%s%s%s", mapping->flags & CAPTURE_VA_READABLE ? "r" : "-",
             mapping->flags & CAPTURE_VA_WRITEABLE ? "w" : "-", mapping->flags & CAPTURE_VA_EXECUTABLE ? "x" : "-",
             mapping->flags & CAPTURE_VA_PRT ? " PRT" : "");
    const char *const cells[] = {from, to, bytes, mapping->buffer ? buffer : "-", offset, access};
    tool_document_row(inspect->document, cells);
}

void inspect_space(struct inspect *inspect)
{
    static const char *const titles[] = {"from", "to", "bytes", "buffer", "offset", "access"};
    static const int widths[] = {18, 18, 14, 7, 12, -8};
    tool_document_section(inspect->document, "Address space");
    tool_document_line(inspect->document, "as it is mapped at the end of the capture");
    tool_document_table(inspect->document, titles, widths, sizeof titles / sizeof titles[0]);
    capture_space_each(&inspect->state.space, add_mapping, inspect);
    tool_document_table_end(inspect->document);
}
