/* tool_document: a report as it is written, as indented text or as an HTML page. */
#include "tool/tool_document.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tool/tool_page.h"

enum { MOST_COLUMNS = 12, INDENT = 2, FACT_WIDTH = 18 };

struct tool_document {
    FILE *file;
    bool is_html;
    bool has_section;
    unsigned depth; /* open nodes */
    const char *const *titles;
    const int *widths;
    size_t columns;
};

/* How nodes look on the page: the class, and whether they are open at first. */
static const struct look {
    const char *name;
    bool is_open;
} looks[TOOL_NODE_COUNT] = {
    [TOOL_NODE_PLAIN] = {"plain", true},     [TOOL_NODE_SUBMISSION] = {"submission", true},
    [TOOL_NODE_IB] = {"ib", true},           [TOOL_NODE_PACKET] = {"packet", false},
    [TOOL_NODE_WORK] = {"work", true},       [TOOL_NODE_MEMORY] = {"memory", false},
    [TOOL_NODE_PROGRAM] = {"program", true}, [TOOL_NODE_PROBLEM] = {"problem", true},
};

static struct tool_document *create(FILE *file, bool is_html)
{
    struct tool_document *document = calloc(1, sizeof *document);
    if (document) {
        document->file = file;
        document->is_html = is_html;
    }
    return document;
}

/* Text as the page must spell it. Bytes that are no printable ASCII come as escapes: a capture's names may hold anything. */
static void put_escaped(struct tool_document *document, const char *text)
{
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte == '&')
            fputs("&amp;", document->file);
        else if (byte == '<')
            fputs("&lt;", document->file);
        else if (byte == '>')
            fputs("&gt;", document->file);
        else if (byte == '"')
            fputs("&quot;", document->file);
        else if (byte == '\n' || byte == '\t' || isprint(byte))
            fputc(byte, document->file);
        else
            fprintf(document->file, "\\x%02x", byte);
    }
}

/* The same for a terminal: no control sequences of the capture's reach it. */
static void put_plain(struct tool_document *document, const char *text)
{
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (isprint(byte))
            fputc(byte, document->file);
        else
            fprintf(document->file, "\\x%02x", byte);
    }
}

__attribute__((format(printf, 2, 0))) static void put_formatted(struct tool_document *document, const char *format, va_list list)
{
    char *text = NULL;
    if (vasprintf(&text, format, list) < 0)
        return;
    if (document->is_html)
        put_escaped(document, text);
    else
        put_plain(document, text);
    free(text);
}

static void put_indent(struct tool_document *document)
{
    fprintf(document->file, "%*s", (int)document->depth * INDENT, "");
}

struct tool_document *tool_document_text(FILE *file)
{
    return create(file, false);
}

struct tool_document *tool_document_html(FILE *file, const char *title)
{
    struct tool_document *document = create(file, true);
    if (document) {
        fputs(tool_page_begin, file);
        put_escaped(document, title);
        fputs(tool_page_style, file);
        put_escaped(document, title);
        fputs(tool_page_body, file);
    }
    return document;
}

bool tool_document_destroy(struct tool_document *document)
{
    if (!document)
        return false;
    while (document->depth)
        tool_document_close(document);
    if (document->is_html) {
        if (document->has_section)
            fputs("</section>\n", document->file);
        fputs(tool_page_end, document->file);
    }
    bool is_good = !fflush(document->file) && !ferror(document->file);
    free(document);
    return is_good;
}

bool tool_document_folds(const struct tool_document *document)
{
    return document->is_html;
}

void tool_document_section(struct tool_document *document, const char *title)
{
    while (document->depth)
        tool_document_close(document);
    if (document->is_html) {
        fprintf(document->file, "%s<section id=\"", document->has_section ? "</section>\n" : "");
        for (const char *at = title; *at; at++)
            fputc(isalnum((unsigned char)*at) ? tolower((unsigned char)*at) : '-', document->file);
        fputs("\"><h2>", document->file);
        put_escaped(document, title);
        fputs("</h2>\n", document->file);
    } else {
        fprintf(document->file, "%s%s\n", document->has_section ? "\n" : "", title);
        for (size_t n = strlen(title); n; n--)
            fputc('=', document->file);
        fputc('\n', document->file);
    }
    document->has_section = true;
}

void tool_document_open(struct tool_document *document, enum tool_node node, const char *anchor, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (document->is_html) {
        fprintf(document->file, "<details class=\"%s\"%s", looks[node].name, looks[node].is_open ? " open" : "");
        if (anchor[0]) {
            fputs(" id=\"", document->file);
            put_escaped(document, anchor);
            fputc('"', document->file);
        }
        fputs("><summary>", document->file);
        put_formatted(document, format, list);
        fputs("</summary>\n", document->file);
    } else {
        put_indent(document);
        put_formatted(document, format, list);
        fputc('\n', document->file);
    }
    va_end(list);
    document->depth++;
}

void tool_document_close(struct tool_document *document)
{
    if (document->is_html)
        fputs("</details>\n", document->file);
    document->depth--;
}

void tool_document_line(struct tool_document *document, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (document->is_html)
        fputs("<p>", document->file);
    else
        put_indent(document);
    put_formatted(document, format, list);
    fputs(document->is_html ? "</p>\n" : "\n", document->file);
    va_end(list);
}

void tool_document_fact(struct tool_document *document, const char *name, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (document->is_html) {
        fputs("<p class=\"fact\"><b>", document->file);
        put_escaped(document, name);
        fputs("</b><span>", document->file);
    } else {
        put_indent(document);
        fprintf(document->file, "%-*s ", FACT_WIDTH, name);
    }
    put_formatted(document, format, list);
    fputs(document->is_html ? "</span></p>\n" : "\n", document->file);
    va_end(list);
}

void tool_document_refer(struct tool_document *document, const char *anchor, const char *title)
{
    if (document->is_html) {
        fputs("<p><a href=\"#", document->file);
        put_escaped(document, anchor);
        fputs("\">", document->file);
        put_escaped(document, title);
        fputs("</a></p>\n", document->file);
    } else {
        put_indent(document);
        put_plain(document, title);
        fputc('\n', document->file);
    }
}

void tool_document_block(struct tool_document *document, const char *text)
{
    if (!*text)
        return;
    if (document->is_html) {
        fputs("<pre>", document->file);
        put_escaped(document, text);
        fputs("</pre>\n", document->file);
        return;
    }
    while (*text) {
        size_t length = strcspn(text, "\n");
        put_indent(document);
        fprintf(document->file, "%.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void put_cells(struct tool_document *document, const char *const *cells, const char *element)
{
    if (document->is_html)
        fputs("<tr>", document->file);
    else
        put_indent(document);
    for (size_t n = 0; n < document->columns; n++) {
        if (document->is_html) {
            fprintf(document->file, "<%s%s>", element, document->widths[n] > 0 ? " class=\"n\"" : "");
            put_escaped(document, cells[n]);
            fprintf(document->file, "</%s>", element);
        } else {
            fprintf(document->file, "%s%*s", n ? "  " : "", n + 1 < document->columns ? document->widths[n] : 0, cells[n]);
        }
    }
    fputs(document->is_html ? "</tr>\n" : "\n", document->file);
}

void tool_document_table(struct tool_document *document, const char *const *titles, const int *widths, size_t columns)
{
    document->titles = titles;
    document->widths = widths;
    document->columns = columns < MOST_COLUMNS ? columns : MOST_COLUMNS;
    if (document->is_html)
        fputs("<div class=\"scroll\"><table><thead>", document->file);
    put_cells(document, titles, "th");
    if (document->is_html)
        fputs("</thead><tbody>\n", document->file);
}

void tool_document_row(struct tool_document *document, const char *const *cells)
{
    put_cells(document, cells, "td");
}

void tool_document_table_end(struct tool_document *document)
{
    if (document->is_html)
        fputs("</tbody></table></div>\n", document->file);
}
