/* Runs a kernel that was compiled for the host: the second opinion that `tenfold exec` is compared with.
 *
 *   host_run OBJECT.so -k KERNEL -g X[,Y[,Z]] [-b X[,Y[,Z]]] [-w 32|64] [-c GROUPS] ARG...
 *
 * The arguments are those of `tenfold exec`. Each work item is a coroutine, so that barriers and waiting loops work;
 * everything runs on one thread. -c says how many groups are resident at a time (1 unless told), -w the wave size
 * that wave operations (tests/kernels/wave.h) imitate.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum {
    MAX_ARGS = 22,
    MAX_RESIDENT = 64,
    MAX_GROUP = 1024,
    INT_REGISTERS = 6,
    STACK_ARGS = 16,
    FLOAT_REGISTERS = 8,
    STACK_BYTES = 256 * 1024,
    GUARD_BYTES = 4096,
    RUBBISH = 0xa5,
};

typedef struct group group;

/* A coroutine that runs work items one after the other; a new one is only needed while others wait. */
typedef struct worker {
    ucontext_t context;
    group *group;
    uint32_t item;        /* flat id within the group */
    uint32_t local_id[3]; /* of the item */
    bool done, at_barrier;
    /* To the other lanes of its wave; two, so that the next offer leaves this one readable until all have read it. */
    uint64_t offered[2];
    int offer; /* the one in use */
} worker;

/* A resident group. */
struct group {
    uint32_t id[3], size[3], items;
    uint32_t next_item; /* the first one that no worker has taken */
    uint32_t finished, waiting;
    uint32_t worker_count;
    worker *workers[MAX_GROUP];
    worker *by_item[MAX_GROUP];
    void *saved_local;   /* the contents of the local variables while another group runs */
    char *dynamic_local; /* what the local arguments point into */
};

typedef struct argument {
    enum { ARG_INT, ARG_FLOAT, ARG_LOCAL } kind;
    uint64_t value; /* bits of a scalar, address, or offset of local memory */
    size_t bytes;   /* of a buffer or of local memory */
    const char *out;
} argument;

/* The whole run; one process runs one kernel. */
static struct {
    uint32_t grid[3], block[3], groups[3];
    uint32_t wave, resident;
    argument args[MAX_ARGS];
    int arg_count;
    size_t dynamic_bytes; /* of all local arguments */
    void *function;
    char *local;
    size_t local_bytes;
    worker *current;
    group *in_storage; /* whose local variables are in place */
    ucontext_t scheduler;
    worker *spare[MAX_GROUP * MAX_RESIDENT];
    uint32_t spare_count;
} run;

static void fail(const char *what, const char *which)
{
    fprintf(stderr, "host_run: %s %s\n", what, which);
    exit(2);
}

static void *allocate(size_t bytes)
{
    void *memory = calloc(1, bytes ? bytes : 1);
    if (!memory)
        fail("no memory for", "a buffer");
    return memory;
}

/* What the kernels call. */

uint32_t get_local_id(uint32_t d) { return run.current->local_id[d]; }
uint32_t get_group_id(uint32_t d) { return run.current->group->id[d]; }
uint32_t get_local_size(uint32_t d) { return run.current->group->size[d]; }
uint32_t get_enqueued_local_size(uint32_t d) { return run.block[d]; }
uint32_t get_global_size(uint32_t d) { return run.grid[d]; }
uint32_t get_num_groups(uint32_t d) { return run.groups[d]; }
uint32_t get_global_id(uint32_t d) { return get_group_id(d) * run.block[d] + get_local_id(d); }
uint64_t get_global_offset(uint32_t d) { return (void)d, 0; }

static void switch_out(void) { swapcontext(&run.current->context, &run.scheduler); }

void give_way(void) { switch_out(); }

void barrier(void)
{
    worker *self = run.current;
    self->at_barrier = true;
    self->group->waiting++;
    while (self->at_barrier)
        switch_out();
}

/* Wave operations: every item of the group offers a value, then reads those of its wave's lanes. */
uint32_t host_wave_size(void) { return run.wave; }
uint32_t host_lane(void) { return run.current->item % run.wave; }

void host_wave_offer(uint64_t value)
{
    worker *self = run.current;
    self->offer ^= 1;
    self->offered[self->offer] = value;
    barrier();
}

/* The value that a lane of this wave offered; lanes past the end of the group offer nothing and read as inactive. */
int host_wave_read(uint32_t lane, uint64_t *value)
{
    group *g = run.current->group;
    uint32_t item = run.current->item / run.wave * run.wave + lane % run.wave;
    if (item >= g->items || !g->by_item[item])
        return 0;
    *value = g->by_item[item]->offered[run.current->offer];
    return 1;
}

/* Calling a kernel: System V passes integers in six registers and floats in eight, further integers on the stack. */
static void call_kernel(void)
{
    typedef void (*kernel)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, double, double, double, double, double, double,
                           double, double, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                           uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
    uint64_t i[INT_REGISTERS + STACK_ARGS] = {0};
    double f[FLOAT_REGISTERS] = {0};
    int ints = 0, floats = 0;
    for (int a = 0; a < run.arg_count; a++) {
        if (run.args[a].kind == ARG_FLOAT)
            memcpy(&f[floats++], &run.args[a].value, sizeof(double));
        else if (run.args[a].kind == ARG_LOCAL)
            i[ints++] = (uintptr_t)run.current->group->dynamic_local + run.args[a].value;
        else
            i[ints++] = run.args[a].value;
    }
    kernel function;
    memcpy(&function, &run.function, sizeof(function));
    function(i[0], i[1], i[2], i[3], i[4], i[5], f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], i[6], i[7], i[8], i[9], i[10], i[11],
             i[12], i[13], i[14], i[15], i[16], i[17], i[18], i[19], i[20], i[21]);
}

static bool take_item(worker *w)
{
    group *g = w->group;
    if (g->next_item == g->items)
        return false;
    w->item = g->next_item++;
    w->offer = 0;
    w->local_id[0] = w->item % g->size[0];
    w->local_id[1] = w->item / g->size[0] % g->size[1];
    w->local_id[2] = w->item / g->size[0] / g->size[1];
    g->by_item[w->item] = w;
    return true;
}

static void work(void)
{
    for (;;) {
        worker *self = run.current;
        while (take_item(self)) {
            call_kernel();
            self->group->finished++; /* what it offered last stays readable */
        }
        self->done = true;
        switch_out();
    }
}

static worker *worker_create(void)
{
    worker *w = allocate(sizeof(*w));
    char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED || mprotect(stack, GUARD_BYTES, PROT_NONE))
        fail("no memory for", "a stack");
    getcontext(&w->context);
    w->context.uc_stack.ss_sp = stack;
    w->context.uc_stack.ss_size = STACK_BYTES;
    makecontext(&w->context, work, 0);
    return w;
}

static worker *worker_start(group *g)
{
    worker *w = run.spare_count ? run.spare[--run.spare_count] : worker_create();
    w->group = g;
    w->done = w->at_barrier = false;
    g->workers[g->worker_count++] = w;
    return w;
}

static void storage_switch(group *g)
{
    if (run.in_storage == g || !run.local_bytes)
        return;
    if (run.in_storage)
        memcpy(run.in_storage->saved_local, run.local, run.local_bytes);
    memcpy(run.local, g->saved_local, run.local_bytes);
    run.in_storage = g;
}

static void worker_resume(worker *w)
{
    run.current = w;
    swapcontext(&run.scheduler, &w->context);
}

/* One turn of a group: every item that can go on does, until it waits. */
static void group_step(group *g)
{
    storage_switch(g);
    for (uint32_t i = 0; i < g->worker_count; i++)
        if (!g->workers[i]->at_barrier && !g->workers[i]->done)
            worker_resume(g->workers[i]);
    while (g->next_item < g->items)
        worker_resume(worker_start(g));
    if (g->waiting && g->waiting + g->finished == g->items) {
        g->waiting = 0;
        for (uint32_t i = 0; i < g->worker_count; i++)
            g->workers[i]->at_barrier = false;
    }
}

static void group_start(group *g, uint32_t index)
{
    memset(g->by_item, 0, sizeof(g->by_item));
    g->finished = g->waiting = g->next_item = g->worker_count = 0;
    g->id[0] = index % run.groups[0];
    g->id[1] = index / run.groups[0] % run.groups[1];
    g->id[2] = index / run.groups[0] / run.groups[1];
    for (int d = 0; d < 3; d++) {
        uint32_t left = run.grid[d] - g->id[d] * run.block[d];
        g->size[d] = left < run.block[d] ? left : run.block[d];
    }
    g->items = g->size[0] * g->size[1] * g->size[2];
    memset(g->saved_local, RUBBISH, run.local_bytes);
    memset(g->dynamic_local, RUBBISH, run.dynamic_bytes);
    if (run.in_storage == g)
        run.in_storage = NULL;
}

static void group_end(group *g)
{
    for (uint32_t i = 0; i < g->worker_count; i++)
        run.spare[run.spare_count++] = g->workers[i];
}

static void run_groups(void)
{
    uint32_t total = run.groups[0] * run.groups[1] * run.groups[2], next = 0, live = 0;
    group **resident = allocate(run.resident * sizeof(*resident));
    for (uint32_t i = 0; i < run.resident; i++) {
        resident[i] = allocate(sizeof(group));
        resident[i]->saved_local = allocate(run.local_bytes);
        resident[i]->dynamic_local = allocate(run.dynamic_bytes);
    }
    while (live || next < total) {
        while (live < run.resident && next < total)
            group_start(resident[live++], next++);
        for (uint32_t i = 0; i < live;) {
            group *g = resident[i];
            group_step(g);
            if (g->finished < g->items) {
                i++;
                continue;
            }
            group_end(g);
            resident[i] = resident[--live];
            resident[live] = g;
        }
    }
    for (uint32_t i = 0; i < run.resident; i++) {
        free(resident[i]->saved_local);
        free(resident[i]->dynamic_local);
        free(resident[i]);
    }
    free(resident);
}

/* The zero-initialised storage of the loaded object. */
static int find_local(struct dl_phdr_info *info, size_t size, void *object)
{
    (void)size;
    if (info->dlpi_addr != *(uintptr_t *)object)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && (p->p_flags & PF_W) && p->p_memsz > p->p_filesz) {
            run.local = (char *)(uintptr_t)(info->dlpi_addr + p->p_vaddr + p->p_filesz);
            run.local_bytes = p->p_memsz - p->p_filesz;
        }
    }
    return 1;
}

static void load_object(const char *path, const char *kernel)
{
    void *object = dlopen(path, RTLD_NOW);
    if (!object)
        fail("cannot load", dlerror());
    run.function = dlsym(object, kernel);
    if (!run.function)
        fail("no kernel named", kernel);
    struct link_map *map;
    if (dlinfo(object, RTLD_DI_LINKMAP, &map))
        fail("cannot look into", path);
    uintptr_t base = map->l_addr;
    dl_iterate_phdr(find_local, &base);
}

static void *read_file(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        fail("cannot read", path);
    *bytes = (size_t)ftell(file);
    rewind(file);
    void *memory = allocate(*bytes);
    if (fread(memory, 1, *bytes, file) != *bytes)
        fail("cannot read", path);
    fclose(file);
    return memory;
}

static void parse_extent(const char *text, uint32_t extent[3])
{
    char *rest;
    for (int d = 0; d < 3; d++) {
        extent[d] = (uint32_t)strtoul(text, &rest, 0);
        if (!extent[d] || (*rest && *rest != ','))
            fail("bad extent", text);
        if (!*rest)
            return;
        text = rest + 1;
    }
}

static char *after(const char *text, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(text, prefix, length) ? NULL : strdup(text + length);
}

/* What comes before the first colon; the rest is moved up. */
static char *split(char *text)
{
    char *colon = strchr(text, ':');
    if (!colon)
        fail("a colon is missing in", text);
    *colon = 0;
    return colon + 1;
}

static argument scalar_float(const char *text)
{
    argument a = {.kind = ARG_FLOAT};
    float value = strtof(text, NULL);
    memcpy(&a.value, &value, sizeof(value));
    return a;
}

static argument scalar_double(const char *text)
{
    argument a = {.kind = ARG_FLOAT};
    double value = strtod(text, NULL);
    memcpy(&a.value, &value, sizeof(value));
    return a;
}

static argument buffer(void *memory, size_t bytes, const char *out)
{
    return (argument){.kind = ARG_INT, .value = (uint64_t)(uintptr_t)memory, .bytes = bytes, .out = out};
}

static argument parse_argument(const char *text)
{
    char *rest;
    size_t bytes;
    if ((rest = after(text, "u32:")) || (rest = after(text, "u64:")))
        return (argument){.kind = ARG_INT, .value = strtoull(rest, NULL, 0)};
    if ((rest = after(text, "i32:")) || (rest = after(text, "i64:")))
        return (argument){.kind = ARG_INT, .value = (uint64_t)strtoll(rest, NULL, 0)};
    if ((rest = after(text, "f32:")))
        return scalar_float(rest);
    if ((rest = after(text, "f64:")))
        return scalar_double(rest);
    if ((rest = after(text, "local:"))) {
        argument a = {.kind = ARG_LOCAL, .value = run.dynamic_bytes};
        run.dynamic_bytes += (strtoull(rest, NULL, 0) + 15) / 16 * 16;
        return a;
    }
    if ((rest = after(text, "buf:"))) {
        bytes = strtoull(rest, NULL, 0);
        return buffer(allocate(bytes), bytes, NULL);
    }
    if ((rest = after(text, "in:"))) {
        void *memory = read_file(rest, &bytes);
        return buffer(memory, bytes, NULL);
    }
    if ((rest = after(text, "out:"))) {
        const char *file = split(rest);
        bytes = strtoull(rest, NULL, 0);
        return buffer(allocate(bytes), bytes, file);
    }
    if ((rest = after(text, "inout:"))) {
        const char *file = split(rest);
        void *memory = read_file(rest, &bytes);
        return buffer(memory, bytes, file);
    }
    fail("unknown argument", text);
    return (argument){0};
}

static void save_outputs(void)
{
    for (int a = 0; a < run.arg_count; a++) {
        argument *arg = &run.args[a];
        if (!arg->out)
            continue;
        FILE *file = fopen(arg->out, "wb");
        if (!file || fwrite((void *)(uintptr_t)arg->value, 1, arg->bytes, file) != arg->bytes || fclose(file))
            fail("cannot write", arg->out);
    }
}

int main(int argc, char **argv)
{
    const char *kernel = NULL;
    run.wave = 32;
    run.resident = 1;
    for (int d = 0; d < 3; d++)
        run.grid[d] = run.block[d] = 1;
    for (int i = 2; i < argc; i++) {
        bool option = argv[i][0] == '-' && i + 1 < argc;
        if (option && !strcmp(argv[i], "-k"))
            kernel = argv[++i];
        else if (option && !strcmp(argv[i], "-g"))
            parse_extent(argv[++i], run.grid);
        else if (option && !strcmp(argv[i], "-b"))
            parse_extent(argv[++i], run.block);
        else if (option && !strcmp(argv[i], "-w"))
            run.wave = (uint32_t)atoi(argv[++i]);
        else if (option && !strcmp(argv[i], "-c"))
            run.resident = (uint32_t)atoi(argv[++i]);
        else if (run.arg_count < MAX_ARGS)
            run.args[run.arg_count++] = parse_argument(argv[i]);
    }
    if (!kernel)
        fail("usage: host_run OBJECT.so -k KERNEL -g GRID", "[-b GROUP] [-w WAVE] [-c GROUPS] ARG...");
    if (run.block[0] * run.block[1] * run.block[2] > MAX_GROUP || run.resident < 1 || run.resident > MAX_RESIDENT)
        fail("group too large, or too many groups:", kernel);
    for (int d = 0; d < 3; d++)
        run.groups[d] = (run.grid[d] + run.block[d] - 1) / run.block[d];
    load_object(argv[1], kernel);
    run_groups();
    save_outputs();
    return 0;
}
