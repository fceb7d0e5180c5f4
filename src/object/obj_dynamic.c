/* obj_dynamic: symbols and relocations from a code object's dynamic section. */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "object/obj_internal.h"

/* What the dynamic section says, by its tags. */
struct dynamic {
    uint64_t symbols, strings, strings_size, hash;
    uint64_t rela, rela_size, jump, jump_size;
    uint64_t rel_size;
};

static void note_tag(struct dynamic *dynamic, const Elf64_Dyn *entry)
{
    switch (entry->d_tag) {
    case DT_SYMTAB: dynamic->symbols = entry->d_un.d_ptr; break;
    case DT_STRTAB: dynamic->strings = entry->d_un.d_ptr; break;
    case DT_STRSZ: dynamic->strings_size = entry->d_un.d_val; break;
    case DT_HASH: dynamic->hash = entry->d_un.d_ptr; break;
    case DT_RELA: dynamic->rela = entry->d_un.d_ptr; break;
    case DT_RELASZ: dynamic->rela_size = entry->d_un.d_val; break;
    case DT_JMPREL: dynamic->jump = entry->d_un.d_ptr; break;
    case DT_PLTRELSZ: dynamic->jump_size = entry->d_un.d_val; break;
    case DT_RELSZ: dynamic->rel_size = entry->d_un.d_val; break;
    default: break;
    }
}

static int compare_names(const void *a, const void *b, void *user)
{
    const struct obj_symbol *symbols = user;
    return strcmp(symbols[*(const uint32_t *)a].name, symbols[*(const uint32_t *)b].name);
}

static bool sort_names(struct obj_whole *whole, struct base_error *error)
{
    whole->by_name = base_arena_alloc(&whole->arena, whole->symbol_count * sizeof *whole->by_name);
    if (!whole->by_name)
        return base_error_set(error, "out of memory");
    for (size_t n = 0; n < whole->symbol_count; n++)
        if (whole->symbols[n].defined && whole->symbols[n].name[0])
            whole->by_name[whole->by_name_count++] = (uint32_t)n;
    qsort_r(whole->by_name, whole->by_name_count, sizeof *whole->by_name, compare_names, whole->symbols);
    return true;
}

const struct obj_symbol *obj_symbol_find(const struct obj_whole *whole, const char *name)
{
    size_t low = 0, high = whole->by_name_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct obj_symbol *symbol = &whole->symbols[whole->by_name[middle]];
        int order = strcmp(symbol->name, name);
        if (order == 0)
            return symbol;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* The table's length stands only in the hash table: nchain. */
static bool count_symbols(struct obj_whole *whole, const struct dynamic *dynamic, uint32_t *count, struct base_error *error)
{
    struct base_bytes head;
    if (!dynamic->hash)
        return base_error_set(error, "dynamic section: no DT_HASH table; link with --hash-style=both or sysv");
    if (!obj_elf_bytes_at(whole, dynamic->hash, 2 * sizeof *count, &head) || !base_bytes_u32(head, sizeof *count, count))
        return base_error_set(error, "dynamic section: hash table at 0x%" PRIx64 " is outside the segments", dynamic->hash);
    return true;
}

static bool read_symbols(struct obj_whole *whole, const struct dynamic *dynamic, struct base_error *error)
{
    uint32_t count;
    struct base_bytes table, strings;
    if (!dynamic->symbols)
        return true;
    if (!count_symbols(whole, dynamic, &count, error))
        return false;
    if (!obj_elf_bytes_at(whole, dynamic->symbols, (uint64_t)count * sizeof(Elf64_Sym), &table))
        return base_error_set(error, "dynamic section: %" PRIu32 " symbols at 0x%" PRIx64 " are outside the segments", count,
                              dynamic->symbols);
    if (!obj_elf_bytes_at(whole, dynamic->strings, dynamic->strings_size, &strings))
        return base_error_set(error, "dynamic section: strings at 0x%" PRIx64 " are outside the segments", dynamic->strings);
    whole->symbols = base_arena_alloc(&whole->arena, count * sizeof *whole->symbols);
    if (!whole->symbols)
        return base_error_set(error, "out of memory");
    whole->symbol_count = count;
    for (uint32_t n = 0; n < count; n++) {
        Elf64_Sym symbol;
        if (!base_bytes_copy(table, n * sizeof symbol, &symbol, sizeof symbol))
            return base_error_set(error, "symbol %" PRIu32 ": cut short", n);
        const char *name = symbol.st_name ? base_bytes_text(strings, symbol.st_name) : "";
        if (!name)
            return base_error_set(error, "symbol %" PRIu32 ": its name at 0x%" PRIx32 " is outside the strings", n,
                                  symbol.st_name);
        whole->symbols[n] = (struct obj_symbol){
            .name = name,
            .value = symbol.st_value,
            .size = symbol.st_size,
            .defined = symbol.st_shndx != SHN_UNDEF,
            .weak = ELF64_ST_BIND(symbol.st_info) == STB_WEAK,
        };
    }
    return sort_names(whole, error);
}

static bool read_relocations(struct obj_whole *whole, uint64_t address, uint64_t size, struct base_error *error)
{
    struct base_bytes table;
    if (!size)
        return true;
    if (!obj_elf_bytes_at(whole, address, size, &table))
        return base_error_set(error, "dynamic section: relocations at 0x%" PRIx64 "+0x%" PRIx64 " are outside the segments",
                              address, size);
    size_t count = table.size / sizeof(Elf64_Rela), have = whole->relocation_count;
    struct obj_relocation *all = base_arena_alloc(&whole->arena, (have + count) * sizeof *all);
    if (!all)
        return base_error_set(error, "out of memory");
    if (have)
        memcpy(all, whole->relocations, have * sizeof *all);
    for (size_t n = 0; n < count; n++) {
        Elf64_Rela rela;
        if (!base_bytes_copy(table, n * sizeof rela, &rela, sizeof rela))
            return base_error_set(error, "relocation %zu: cut short", n);
        all[have + n] = (struct obj_relocation){
            .offset = rela.r_offset,
            .type = ELF64_R_TYPE(rela.r_info),
            .symbol = ELF64_R_SYM(rela.r_info),
            .addend = rela.r_addend,
        };
    }
    whole->relocations = all;
    whole->relocation_count = have + count;
    return true;
}

bool obj_dynamic_read(struct obj_whole *whole, uint64_t address, uint64_t size, struct base_error *error)
{
    struct base_bytes table;
    struct dynamic dynamic = {0};
    if (!size)
        return base_error_set(error, "program headers: no dynamic section, so no kernel can be found by name");
    if (!obj_elf_bytes_at(whole, address, size, &table))
        return base_error_set(error, "program headers: dynamic section at 0x%" PRIx64 "+0x%" PRIx64 " is outside the segments",
                              address, size);
    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= table.size; at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        if (!base_bytes_copy(table, at, &entry, sizeof entry) || entry.d_tag == DT_NULL)
            break;
        note_tag(&dynamic, &entry);
    }
    if (dynamic.rel_size)
        return base_error_set(error, "dynamic section: relocations without addends, which AMDGPU does not use");
    return read_symbols(whole, &dynamic, error) && read_relocations(whole, dynamic.rela, dynamic.rela_size, error) &&
           read_relocations(whole, dynamic.jump, dynamic.jump_size, error);
}
