/* vulkan_program: the programs of an engine, and the thread that compiles them. */
#include "vulkan/vulkan_program.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/base_clock.h"
#include "ir/ir_slots.h"
#include "lower/lower_whole.h"
#include "vulkan/vulkan_memory.h"
#include "vulkan/vulkan_shelf.h"
#include "vulkan/vulkan_translate.h"
#include "wave/wave_program.h"

enum { BUCKETS = 1024, PROGRAMS_MOST = 2048 };

/* What a program is found by: all that its translation depends on, but for its words. */
struct key {
    uint32_t threads[3]; /* where full */
    uint64_t address;
    uint32_t rsrc1, rsrc2, rsrc3, wave_size, waves, lds_words, scratch_wave_bytes;
    bool full; /* all waves have all their lanes */
    bool line; /* groups extend along x alone */
    bool packed;
};

struct made {
    struct spirv_module *module; /* without its words, once compiled */
    struct vulkan_compiled *compiled;
};

struct entry {
    struct vulkan_program program;
    struct key key;
    struct entry *chain, *job; /* of its bucket; to be compiled after this one */
    unsigned holds;            /* the table's is not counted, the compiling thread's is */
    bool retired;              /* not in the table any more */
    enum vulkan_stage stage;
    char reason[VULKAN_REASON_SIZE]; /* why never */
    struct wave_code code;
    uint64_t epoch, used;                  /* when the code was last found in memory; when the program was last looked up */
    struct ir_func *func;                  /* until nothing is to be compiled any more */
    uint32_t size;                         /* operations in func */
    struct made first, near[VULKAN_KINDS], /* near: other variants that reach windows alone */
        second;               /* the searching variant of a program whose first one does so, or one for more forms of images */
    bool tried[VULKAN_KINDS]; /* where there is none, there never will be */
    double wave_seconds;      /* what the CPU device takes for a wave; 0: not known */
    struct vulkan_account account;
};

struct vulkan_programs {
    struct vulkan_workshop workshop;
    struct vulkan_shelf shelf;
    pthread_t thread;
    pthread_mutex_t lock;   /* guards all that follows, and entries but for what the compiling thread alone looks at */
    pthread_cond_t changed; /* a stage, a job, the end */
    bool ends;
    struct entry *buckets[BUCKETS];
    unsigned count;
    uint64_t lookups;
    struct entry *first_job, *last_job;
    struct entry *at_work; /* what is being compiled */
    uint64_t begun_ns;
    uint32_t waiting_size;      /* operations in all that is to be compiled */
    double operation_seconds;   /* what compiling takes for an operation, lately */
    struct vulkan_account past; /* of programs that are gone */
};

/* Before anything was compiled; and what the CPU device takes where nothing is known: an operation of a wave, and how often each runs. */
static const double first_operation_s = 2e-3, wave_operation_s = 3e-9, guessed_repeats = 4;

/* ---- looking up ---- */

unsigned vulkan_group_waves(const struct wave_dispatch *d)
{
    return (d->threads[0] * d->threads[1] * d->threads[2] + d->wave_size - 1) / d->wave_size;
}

/* Every wave of every group has all its lanes. */
static bool is_full(const struct wave_dispatch *d)
{
    return d->threads[0] * d->threads[1] * d->threads[2] % d->wave_size == 0 &&
           !memcmp(d->threads, d->last_threads, sizeof d->threads);
}

static struct key key_of(const struct wave_dispatch *d, bool packed)
{
    const uint32_t word = sizeof(uint32_t);
    bool full = is_full(d);
    return (struct key){.threads = {full ? d->threads[0] : 0, full ? d->threads[1] : 0, full ? d->threads[2] : 0},
                        .address = d->program,
                        .rsrc1 = d->rsrc1,
                        .rsrc2 = d->rsrc2,
                        .rsrc3 = d->rsrc3,
                        .wave_size = d->wave_size,
                        .waves = vulkan_group_waves(d),
                        .lds_words = d->lds_bytes < word ? 1 : (d->lds_bytes + word - 1) / word,
                        .scratch_wave_bytes = d->scratch_wave_bytes,
                        .full = full,
                        .line = d->threads[1] == 1 && d->threads[2] == 1,
                        .packed = packed};
}

static bool same_key(const struct key *a, const struct key *b)
{
    return a->address == b->address && a->rsrc1 == b->rsrc1 && a->rsrc2 == b->rsrc2 && a->rsrc3 == b->rsrc3 &&
           a->wave_size == b->wave_size && a->waves == b->waves && a->lds_words == b->lds_words &&
           a->scratch_wave_bytes == b->scratch_wave_bytes && a->full == b->full && a->line == b->line && a->packed == b->packed &&
           !memcmp(a->threads, b->threads, sizeof a->threads);
}

static struct entry **bucket_of(struct vulkan_programs *programs, const struct key *key)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    return &programs->buckets[(key->address >> 2 ^ key->rsrc1 ^ key->waves) * golden >> 32 & (BUCKETS - 1)];
}

static void add_account(struct vulkan_account *to, const struct vulkan_account *more)
{
    to->dispatches += more->dispatches;
    to->failed += more->failed;
    to->groups += more->groups;
    to->waves += more->waves;
    to->elsewhere += more->elsewhere;
    if (*more->reason)
        memcpy(to->reason, more->reason, sizeof to->reason);
    if (!*to->note)
        memcpy(to->note, more->note, sizeof to->note);
}

static void give_up(struct vulkan_programs *programs, struct made *made)
{
    spirv_module_destroy(made->module);
    vulkan_shelf_give(&programs->shelf, programs->workshop.host, made->compiled);
    *made = (struct made){0};
}

static void destroy_entry(struct vulkan_programs *programs, struct entry *entry)
{
    ir_func_destroy(entry->func);
    wave_code_finish(&entry->code);
    give_up(programs, &entry->first);
    give_up(programs, &entry->second);
    for (unsigned kind = 0; kind < VULKAN_KINDS; kind++)
        give_up(programs, &entry->near[kind]);
    free(entry);
}

static void release_locked(struct vulkan_programs *programs, struct entry *entry)
{
    if (--entry->holds == 0 && entry->retired)
        destroy_entry(programs, entry);
}

/* Takes an entry out of the table; whoever holds it may go on with it. */
static void retire_locked(struct vulkan_programs *programs, struct entry *entry)
{
    struct entry **at = bucket_of(programs, &entry->key);
    while (*at != entry)
        at = &(*at)->chain;
    *at = entry->chain;
    programs->count--;
    entry->retired = true;
    add_account(&programs->past, &entry->account);
    memset(&entry->account, 0, sizeof entry->account);
    entry->holds++;
    release_locked(programs, entry);
}

/* The one that nobody holds and nobody has asked for for longest. */
static void make_room_locked(struct vulkan_programs *programs)
{
    struct entry *oldest = NULL;
    for (size_t n = 0; n < BUCKETS; n++)
        for (struct entry *entry = programs->buckets[n]; entry; entry = entry->chain)
            if (!entry->holds && (!oldest || entry->used < oldest->used))
                oldest = entry;
    if (oldest)
        retire_locked(programs, oldest);
}

static struct entry *look_up_locked(struct vulkan_programs *programs, const struct key *key)
{
    struct entry *entry = *bucket_of(programs, key);
    while (entry && !same_key(&entry->key, key))
        entry = entry->chain;
    return entry;
}

/* The entry with that key whose words are in memory; one with other words is retired. */
static struct entry *find_locked(struct vulkan_programs *programs, const struct key *key, struct mem_snapshot *snapshot,
                                 uint64_t epoch)
{
    struct entry *entry = look_up_locked(programs, key);
    if (!entry)
        return NULL;
    struct wave_memory memory = vulkan_memory_of(snapshot);
    if ((!epoch || entry->epoch != epoch) && !wave_code_same(&entry->code, &memory)) {
        retire_locked(programs, entry);
        return NULL;
    }
    entry->epoch = epoch;
    entry->used = ++programs->lookups;
    entry->holds++;
    return entry;
}

static bool has_loops(const struct ir_func *func)
{
    bool loops = false;
    for (uint32_t n = 0; n < func->block_count; n++)
        loops |= func->blocks[n].back[0] || func->blocks[n].back[1];
    return loops;
}

/* It may turn out, as it runs, to do what its module has nothing for. */
static bool may_stray(const struct ir_func *func)
{
    bool strays = false;
    for (uint32_t n = 0; n < func->inst_count; n++) {
        const struct ir_access *access = ir_inst_access(func, &func->insts[n]);
        strays |= access && access->space == IR_SPACE_SCRATCH;
    }
    for (uint32_t n = 0; n < func->block_count; n++)
        strays |= func->blocks[n].term == IR_TERM_SETPC;
    return strays;
}

static struct entry *lower(struct vulkan_programs *programs, const struct key *key, struct mem_snapshot *snapshot)
{
    enum { SHARED_VGPRS = 15, VGPRS = 63 };
    unsigned shared = key->wave_size == 64 ? key->rsrc3 & SHARED_VGPRS : 0;
    const struct lower_config config = {.chip = programs->workshop.chip,
                                        .wave_size = key->wave_size,
                                        .private_vgprs = shared ? ((key->rsrc1 & VGPRS) + 1) * 4 : 0};
    struct wave_memory memory = vulkan_memory_of(snapshot);
    struct wave_code_reader reader = {.memory = &memory};
    const struct lower_fetch fetch = {&reader, wave_code_read};
    struct entry *entry = calloc(1, sizeof *entry);
    if (entry)
        entry->func = lower_whole(&config, &fetch, key->address);
    bool good = entry && entry->func && wave_code_keep(&reader, entry->func, &entry->code);
    wave_code_reader_finish(&reader);
    if (!good) {
        if (entry)
            destroy_entry(programs, entry);
        return NULL;
    }
    /* As the host's waves have them: global accesses by base and index. */
    ir_form_addresses(entry->func);
    ir_drop_dead_registers(entry->func, false);
    ir_forward_copies(entry->func);
    ir_drop_dead_registers(entry->func, false);
    entry->key = *key;
    entry->program.address = key->address;
    entry->program.wave_size = key->wave_size;
    entry->size = entry->func->inst_count;
    entry->program.loops = has_loops(entry->func);
    entry->program.strays = may_stray(entry->func);
    return entry;
}

/* Into the table, and to the compiling thread, which holds it meanwhile. */
static void add_locked(struct vulkan_programs *programs, struct entry *entry)
{
    struct entry **bucket = bucket_of(programs, &entry->key);
    if (programs->count >= PROGRAMS_MOST)
        make_room_locked(programs);
    entry->chain = *bucket;
    *bucket = entry;
    programs->count++;
    entry->holds++;
    *(programs->last_job ? &programs->last_job->job : &programs->first_job) = entry;
    programs->last_job = entry;
    programs->waiting_size += entry->size;
    pthread_cond_broadcast(&programs->changed);
}

struct vulkan_program *vulkan_programs_hold(struct vulkan_programs *programs, struct mem_snapshot *snapshot,
                                            const struct wave_dispatch *dispatch, bool packed)
{
    const struct key key = key_of(dispatch, packed);
    pthread_mutex_lock(&programs->lock);
    struct entry *found = find_locked(programs, &key, snapshot, dispatch->code_epoch);
    pthread_mutex_unlock(&programs->lock);
    if (found)
        return &found->program;
    struct entry *made = lower(programs, &key, snapshot);
    if (!made)
        return NULL;
    pthread_mutex_lock(&programs->lock);
    found = find_locked(programs, &key, snapshot, 0);
    if (!found) {
        found = made;
        found->epoch = dispatch->code_epoch;
        found->used = ++programs->lookups;
        found->holds++;
        add_locked(programs, found);
    } else {
        destroy_entry(programs, made); /* another thread was here at the same time */
    }
    pthread_mutex_unlock(&programs->lock);
    return &found->program;
}

struct lowering {
    struct vulkan_programs *programs;
    const struct key *key;
    struct mem_snapshot *snapshot;
    struct entry *made;
};

static void lower_guarded(void *user)
{
    struct lowering *lowering = user;
    lowering->made = lower(lowering->programs, lowering->key, lowering->snapshot);
}

/* One that is there already may have other words than memory has now: which ones its turn finds, nobody knows. */
void vulkan_programs_expect(struct vulkan_programs *programs, struct mem_snapshot *snapshot, const struct wave_dispatch *dispatch)
{
    const struct key key = key_of(dispatch, false);
    struct lowering lowering = {programs, &key, snapshot, NULL};
    struct mem_run run;
    pthread_mutex_lock(&programs->lock);
    bool known = look_up_locked(programs, &key);
    pthread_mutex_unlock(&programs->lock);
    if (known || !mem_snapshot_find(snapshot, dispatch->program, &run) || !mem_guard_run(lower_guarded, &lowering) ||
        !lowering.made)
        return;
    pthread_mutex_lock(&programs->lock);
    if (look_up_locked(programs, &key)) {
        destroy_entry(programs, lowering.made);
    } else {
        lowering.made->used = ++programs->lookups;
        add_locked(programs, lowering.made);
    }
    pthread_mutex_unlock(&programs->lock);
}

void vulkan_programs_release(struct vulkan_programs *programs, struct vulkan_program *program)
{
    pthread_mutex_lock(&programs->lock);
    release_locked(programs, (struct entry *)program);
    pthread_mutex_unlock(&programs->lock);
}

/* ---- compiling ---- */

enum { SEARCHING = VULKAN_KINDS }; /* of no kind */

/* What a variant is to be; it is less where the program does not allow that. */
static struct vulkan_source source_of(const struct entry *entry, unsigned kind)
{
    const struct key *key = &entry->key;
    return (struct vulkan_source){.func = entry->func,
                                  .code = &entry->code,
                                  .rsrc1 = key->rsrc1,
                                  .rsrc2 = key->rsrc2,
                                  .rsrc3 = key->rsrc3,
                                  .wave_size = key->wave_size,
                                  .waves = key->waves,
                                  .lds_words = key->lds_words,
                                  .scratch_wave_bytes = key->scratch_wave_bytes,
                                  .full = key->full,
                                  .line = key->line,
                                  .packed = key->packed,
                                  .threads = {key->threads[0], key->threads[1], key->threads[2]},
                                  .forms = entry->program.forms,
                                  .fast = kind != SEARCHING,
                                  .certain = kind != SEARCHING && kind & VULKAN_CERTAIN,
                                  .marks_near = kind != SEARCHING && kind & VULKAN_MARKS};
}

static bool make(struct vulkan_programs *programs, const struct entry *entry, unsigned kind, struct made *made,
                 char reason[VULKAN_REASON_SIZE])
{
    const struct vulkan_source source = source_of(entry, kind);
    made->module = vulkan_translate(&programs->workshop, &source, reason);
    if (!made->module)
        return false;
    made->compiled =
        vulkan_shelf_take(&programs->shelf, programs->workshop.host, made->module, source.lds_words, reason, VULKAN_REASON_SIZE);
    free(made->module->words);
    made->module->words = NULL;
    return made->compiled;
}

/* On the compiling thread; nobody else looks at what it makes before the stage says that it is there. */
static enum vulkan_stage compile(struct vulkan_programs *programs, struct entry *entry)
{
    bool windows = vulkan_host_facts(programs->workshop.host)->window_bytes != 0;
    bool made = make(programs, entry, windows ? VULKAN_CERTAIN : SEARCHING, &entry->first, entry->reason);
    return made ? VULKAN_READY : VULKAN_NEVER;
}

static struct vulkan_variant variant_of(const struct made *made)
{
    return (struct vulkan_variant){made->compiled->pipeline, made->module};
}

bool vulkan_programs_search(struct vulkan_programs *programs, struct vulkan_program *program, char reason[VULKAN_REASON_SIZE])
{
    struct entry *entry = (struct entry *)program;
    if (program->searching.module)
        return true;
    if (!make(programs, entry, SEARCHING, &entry->second, reason))
        return false;
    program->searching = variant_of(&entry->second);
    return true;
}

/* What came out where a kind was asked for. */
static unsigned kind_of(const struct spirv_module *module, unsigned asked)
{
    return module->certain ? asked | VULKAN_CERTAIN : module->fast ? asked & VULKAN_MARKS : (unsigned)SEARCHING;
}

/* Keeps a variant that came out as less than was asked for as what it is, unless there is one. */
static void keep(struct vulkan_programs *programs, struct entry *entry, unsigned kind, struct made *made)
{
    struct vulkan_program *program = &entry->program;
    struct vulkan_variant *variant = kind == SEARCHING ? &program->searching : &program->near[kind];
    if (variant->module) {
        give_up(programs, made);
        return;
    }
    *variant = variant_of(made);
    *(kind == SEARCHING ? &entry->second : &entry->near[kind]) = *made;
}

const struct vulkan_variant *vulkan_programs_near(struct vulkan_programs *programs, struct vulkan_program *program, unsigned kind)
{
    struct entry *entry = (struct entry *)program;
    const struct spirv_module *first = entry->first.module;
    bool may = first->certain || (first->fast && !(kind & VULKAN_CERTAIN));
    struct made made = {0};
    char reason[VULKAN_REASON_SIZE];
    if (!program->near[kind].module && may && !entry->tried[kind]) {
        entry->tried[kind] = true;
        if (make(programs, entry, kind, &made, reason))
            keep(programs, entry, kind_of(made.module, kind), &made);
        else
            give_up(programs, &made);
    }
    return program->near[kind].module ? &program->near[kind] : NULL;
}

const struct spirv_module *vulkan_program_module(const struct vulkan_program *program)
{
    const struct spirv_module *certain = program->near[VULKAN_CERTAIN].module, *fast = program->near[0].module;
    return certain ? certain : fast ? fast : program->searching.module;
}

bool vulkan_programs_allow(struct vulkan_programs *programs, struct vulkan_program *program, uint32_t forms,
                           char reason[VULKAN_REASON_SIZE])
{
    struct entry *entry = (struct entry *)program;
    uint32_t before = program->forms;
    struct made made = {0};
    if (!(forms & ~before))
        return true;
    program->forms |= forms;
    if (!make(programs, entry, SEARCHING, &made, reason)) {
        give_up(programs, &made);
        program->forms = before;
        return false;
    }
    give_up(programs, &entry->second);
    entry->second = made;
    program->searching = variant_of(&entry->second);
    return true;
}

/* What others look at. */
static void show_locked(struct vulkan_programs *programs, struct entry *entry, enum vulkan_stage stage)
{
    struct vulkan_program *program = &entry->program;
    entry->stage = stage;
    if (stage != VULKAN_READY)
        return;
    const struct spirv_module *module = entry->first.module;
    unsigned kind = kind_of(module, 0);
    *(kind == SEARCHING ? &program->searching : &program->near[kind]) = variant_of(&entry->first);
    uint32_t subgroup = vulkan_host_facts(programs->workshop.host)->subgroup, lanes = entry->key.wave_size;
    program->lanes = module->alone || subgroup > lanes ? 1 : lanes / subgroup;
    program->exact = module->exact;
    program->approximate = module->approximate;
}

/* How long an operation took this time counts as much as all times before. */
static void learn_locked(struct vulkan_programs *programs, const struct entry *entry, double seconds)
{
    if (entry->size)
        programs->operation_seconds = (programs->operation_seconds + seconds / entry->size) / 2;
}

static double seconds_since(uint64_t ns)
{
    return (double)(base_clock_ns() - ns) * 1e-9;
}

static void take_job_locked(struct vulkan_programs *programs)
{
    struct entry *entry = programs->first_job;
    programs->first_job = entry->job;
    if (!programs->first_job)
        programs->last_job = NULL;
    programs->at_work = entry;
    programs->begun_ns = base_clock_ns();
    pthread_mutex_unlock(&programs->lock);
    enum vulkan_stage stage = compile(programs, entry);
    pthread_mutex_lock(&programs->lock);
    learn_locked(programs, entry, seconds_since(programs->begun_ns));
    programs->waiting_size -= entry->size;
    programs->at_work = NULL;
    show_locked(programs, entry, stage);
    const struct spirv_module *first = entry->first.module;
    bool final = !(first && (first->fast || first->certain)) && !(entry->first.module && entry->first.module->image_count);
    if (final) {
        ir_func_destroy(entry->func);
        entry->func = NULL;
    }
    pthread_cond_broadcast(&programs->changed);
    release_locked(programs, entry);
}

static void *run(void *user)
{
    struct vulkan_programs *programs = user;
    pthread_mutex_lock(&programs->lock);
    while (!programs->ends) {
        if (programs->first_job)
            take_job_locked(programs);
        else
            pthread_cond_wait(&programs->changed, &programs->lock);
    }
    pthread_mutex_unlock(&programs->lock);
    return NULL;
}

/* What is left of compiling, all that waits before it included. A guess that was exceeded is made anew from what it took so far. */
static double remaining_locked(const struct vulkan_programs *programs)
{
    double wanted = programs->waiting_size * programs->operation_seconds;
    double spent = programs->at_work ? seconds_since(programs->begun_ns) : 0;
    return wanted > 2 * spent ? wanted - spent : spent;
}

static double elsewhere_locked(const struct entry *entry, uint64_t waves)
{
    double wave = entry->wave_seconds > 0 ? entry->wave_seconds : entry->size * guessed_repeats * wave_operation_s;
    return wave * (double)waves;
}

struct timespec vulkan_deadline(double seconds)
{
    const double second_ns = 1e9, longest = 1e9;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    seconds = (seconds < longest ? seconds : longest) + (double)until.tv_nsec / second_ns;
    until.tv_sec += (time_t)seconds;
    until.tv_nsec = (long)((seconds - (double)(time_t)seconds) * second_ns);
    return until;
}

static void wait_a_while_locked(struct vulkan_programs *programs)
{
    const struct timespec until = vulkan_deadline(0.005);
    pthread_cond_timedwait(&programs->changed, &programs->lock, &until);
}

enum vulkan_stage vulkan_programs_await(struct vulkan_programs *programs, struct vulkan_program *program, uint64_t waves,
                                        bool patient, const _Atomic bool *cancel, char reason[VULKAN_REASON_SIZE])
{
    struct entry *entry = (struct entry *)program;
    pthread_mutex_lock(&programs->lock);
    /* While one is compiled the device may be busy with it: a ready one would wait too. */
    while ((entry->stage == VULKAN_WAITING && !programs->ends) ||
           (entry->stage == VULKAN_READY && programs->at_work && !patient)) {
        if ((!patient && elsewhere_locked(entry, waves) < remaining_locked(programs)) || (cancel && atomic_load(cancel)))
            break;
        wait_a_while_locked(programs);
    }
    enum vulkan_stage stage = entry->stage;
    if (stage == VULKAN_NEVER)
        snprintf(reason, VULKAN_REASON_SIZE, "%s", entry->reason);
    else if (stage == VULKAN_READY && programs->at_work && !patient)
        stage = VULKAN_WAITING;
    if (stage == VULKAN_WAITING)
        snprintf(reason, VULKAN_REASON_SIZE,
                 entry->stage == VULKAN_READY ? "the host device is at work on another pipeline"
                                              : "its pipeline is not ready yet");
    pthread_mutex_unlock(&programs->lock);
    return stage;
}

void vulkan_programs_refuse(struct vulkan_programs *programs, struct vulkan_program *program, const char *reason)
{
    struct entry *entry = (struct entry *)program;
    pthread_mutex_lock(&programs->lock);
    entry->stage = VULKAN_NEVER;
    snprintf(entry->reason, sizeof entry->reason, "%s", reason);
    pthread_mutex_unlock(&programs->lock);
}

/* ---- accounts ---- */

void vulkan_programs_count(struct vulkan_programs *programs, struct vulkan_program *program, const struct vulkan_account *more)
{
    pthread_mutex_lock(&programs->lock);
    add_account(&((struct entry *)program)->account, more);
    pthread_mutex_unlock(&programs->lock);
}

void vulkan_programs_time(struct vulkan_programs *programs, struct vulkan_program *program, uint64_t waves, double cpu_seconds)
{
    struct entry *entry = (struct entry *)program;
    double seconds = waves ? cpu_seconds / (double)waves : 0;
    pthread_mutex_lock(&programs->lock);
    entry->wave_seconds = entry->wave_seconds > 0 ? (entry->wave_seconds + seconds) / 2 : seconds;
    pthread_mutex_unlock(&programs->lock);
}

void vulkan_programs_tell(struct vulkan_programs *programs,
                          void (*each)(void *user, const struct vulkan_program *program, const struct vulkan_account *account),
                          void *user)
{
    pthread_mutex_lock(&programs->lock);
    for (size_t n = 0; n < BUCKETS; n++)
        for (const struct entry *entry = programs->buckets[n]; entry; entry = entry->chain)
            each(user, &entry->program, &entry->account);
    each(user, NULL, &programs->past);
    pthread_mutex_unlock(&programs->lock);
}

/* ---- life ---- */

/* The program's own signals are not for this thread; faults in what it calls are. */
static bool start_thread(struct vulkan_programs *programs)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    sigset_t ours, before;
    sigfillset(&ours);
    for (size_t n = 0; n < sizeof faults / sizeof faults[0]; n++)
        sigdelset(&ours, faults[n]);
    pthread_sigmask(SIG_SETMASK, &ours, &before);
    bool started = pthread_create(&programs->thread, NULL, run, programs) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started)
        pthread_setname_np(programs->thread, "tenfold-spirv");
    return started;
}

static void finish(struct vulkan_programs *programs)
{
    vulkan_shelf_finish(&programs->shelf);
    pthread_mutex_destroy(&programs->lock);
    pthread_cond_destroy(&programs->changed);
    free(programs);
}

struct vulkan_programs *vulkan_programs_create(const struct vulkan_workshop *workshop)
{
    struct vulkan_programs *programs = calloc(1, sizeof *programs);
    pthread_condattr_t clock;
    if (!programs)
        return NULL;
    programs->workshop = *workshop;
    programs->operation_seconds = first_operation_s;
    vulkan_shelf_init(&programs->shelf);
    pthread_mutex_init(&programs->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&programs->changed, &clock);
    pthread_condattr_destroy(&clock);
    if (start_thread(programs))
        return programs;
    finish(programs);
    return NULL;
}

bool vulkan_programs_stop(struct vulkan_programs *programs, const struct timespec *until)
{
    int outcome = 0;
    pthread_mutex_lock(&programs->lock);
    programs->ends = true;
    pthread_cond_broadcast(&programs->changed);
    while (programs->at_work && !outcome)
        outcome = until ? pthread_cond_timedwait(&programs->changed, &programs->lock, until)
                        : pthread_cond_wait(&programs->changed, &programs->lock);
    bool done = !programs->at_work;
    pthread_mutex_unlock(&programs->lock);
    return done;
}

void vulkan_programs_destroy(struct vulkan_programs *programs)
{
    if (!programs)
        return;
    vulkan_programs_stop(programs, NULL);
    pthread_join(programs->thread, NULL);
    for (struct entry *job = programs->first_job, *next; job; job = next) {
        next = job->job;
        release_locked(programs, job);
    }
    for (size_t n = 0; n < BUCKETS; n++)
        while (programs->buckets[n])
            retire_locked(programs, programs->buckets[n]);
    finish(programs);
}
