/* tool_page: the fixed parts of the HTML page that tool_document writes: nothing in them comes from elsewhere. */
#ifndef TOOL_TOOL_PAGE_H
#define TOOL_TOOL_PAGE_H

/* In this order: begin, the title, style, the title again, body, the content, end. */
extern const char tool_page_begin[], tool_page_style[], tool_page_body[], tool_page_end[];

#endif
