/* tool_document: a report as it is written, piece by piece: indented text, or one self-contained HTML page that folds and
 * searches. */
#ifndef TOOL_TOOL_DOCUMENT_H
#define TOOL_TOOL_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A document being written; owned by whoever created it. Text that is given may hold anything. */
struct tool_document;

/* What a node shows; decides how it looks. */
enum tool_node {
    TOOL_NODE_PLAIN,
    TOOL_NODE_SUBMISSION,
    TOOL_NODE_IB,
    TOOL_NODE_PACKET,
    TOOL_NODE_WORK, /* a dispatch or a draw */
    TOOL_NODE_MEMORY,
    TOOL_NODE_PROGRAM,
    TOOL_NODE_PROBLEM,
    TOOL_NODE_COUNT
};

/* Writes to file, which stays the caller's. NULL when out of memory. */
struct tool_document *tool_document_text(FILE *file);
struct tool_document *tool_document_html(FILE *file, const char *title);
/* Ends what is open and the page. False when something could not be written. */
bool tool_document_destroy(struct tool_document *document);

/* True when what is inside nodes can be folded away, so that their heads should say what matters. */
bool tool_document_folds(const struct tool_document *document);

/* A part of the page, which the navigation lists; ends the part before. */
void tool_document_section(struct tool_document *document, const char *title);
/* A node with a head line; what follows is inside it until its close. anchor (may be "") is a name that tool_document_refer
 * finds. */
__attribute__((format(printf, 4, 5))) void tool_document_open(struct tool_document *document, enum tool_node node,
                                                              const char *anchor, const char *format, ...);
void tool_document_close(struct tool_document *document);
__attribute__((format(printf, 2, 3))) void tool_document_line(struct tool_document *document, const char *format, ...);
/* A name and its value on a line. */
__attribute__((format(printf, 3, 4))) void tool_document_fact(struct tool_document *document, const char *name,
                                                              const char *format, ...);
/* Where a node of that anchor is; in text nothing but its title. */
void tool_document_refer(struct tool_document *document, const char *anchor, const char *title);
/* Lines that keep their layout. */
void tool_document_block(struct tool_document *document, const char *text);

/* A table: its head, rows of as many cells, its end. Cells are text; widths are the text form's, negative: to the left. */
void tool_document_table(struct tool_document *document, const char *const *titles, const int *widths, size_t columns);
void tool_document_row(struct tool_document *document, const char *const *cells);
void tool_document_table_end(struct tool_document *document);

#endif
