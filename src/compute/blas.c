/* SPDX-License-Identifier: BSD-3-Clause */
#include "compute/blas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/environment.h"
#include "kernel/arch.h"

/* Found by CMake. */
#ifndef SUMMAND_BLAS_FILE
#define SUMMAND_BLAS_FILE ""
#endif

/* Optimized libraries, and functions that identify them. */
struct kind {
    const char *name, *mark;
    const char *version, *core; /* functions that return texts */
    const char *threads, *set; /* functions: one returns the number of threads, the other sets it */
    const char *variables[3];  /* environment variables that set the number */
};

static const struct kind kinds[] = {
    {"OpenBLAS",
     "openblas_get_config",
     "openblas_get_config",
     "openblas_get_corename",
     "openblas_get_num_threads",
     "openblas_set_num_threads",
     {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS"}},
    {"BLIS",
     "bli_info_get_version_str",
     "bli_info_get_version_str",
     NULL,
     "bli_thread_get_num_threads",
     "bli_thread_set_num_threads",
     {"BLIS_NUM_THREADS", "OMP_NUM_THREADS"}},
    {"MKL",
     "MKL_Set_Num_Threads",
     NULL,
     NULL,
     "MKL_Get_Max_Threads",
     "MKL_Set_Num_Threads",
     {"MKL_NUM_THREADS", "OMP_NUM_THREADS"}},
    {.name = "Arm Performance Libraries", .mark = "armplversion"},
    {.name = "ATLAS", .mark = "ATL_buildinfo"},
};

static void *function(void *library, const char *name)
{
    return name ? dlsym(library, name) : NULL;
}

/* The text that a function without arguments returns; "" if there is no such function. */
static const char *said_by(void *library, const char *name)
{
    const char *(*of)(void);
    *(void **)&of = function(library, name);
    const char *text = of ? of() : NULL;
    return text ? text : "";
}

static const struct kind *kind_of(void *library)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (function(library, kinds[k].mark))
            return &kinds[k];
    return NULL;
}

/* OpenBLAS puts its name before its version, and more text after it. */
static void describe(struct summand__blas *blas, void *library, const struct kind *kind)
{
    const char *version = said_by(library, kind->version);
    size_t name = strlen(kind->name);
    if (!strncmp(version, kind->name, name) && version[name] == ' ')
        version += name + 1;
    snprintf(blas->name, sizeof blas->name, "%s%s%.*s", kind->name, *version ? " " : "",
             (int)strcspn(version, " "), version);
    snprintf(blas->core, sizeof blas->core, "%s", said_by(library, kind->core));
    *(void **)&blas->threads = function(library, kind->threads);
    blas->fast = true;
}

/* False if the library has no CBLAS. */
static bool take(struct summand__blas *blas, void *library)
{
    const struct kind *kind = kind_of(library);
    Dl_info file;
    *blas = (struct summand__blas){.name = "CBLAS"};
    *(void **)&blas->dgemm = function(library, "cblas_dgemm");
    *(void **)&blas->sgemm = function(library, "cblas_sgemm");
    if (!blas->dgemm || !blas->sgemm)
        return false;
    if (kind)
        describe(blas, library, kind);
    if (dladdr(*(void **)&blas->dgemm, &file) && file.dli_fname)
        snprintf(blas->path, sizeof blas->path, "%s", file.dli_fname);
    return true;
}

/* For a library that only Summand uses in this process. BLIS takes a 64-bit number. */
static void set_one_thread(void *library)
{
    const struct kind *kind = kind_of(library);
    void (*set)(long);
    for (int v = 0; kind && v < 3 && kind->variables[v]; v++)
        if (summand__environment_foreign(kind->variables[v]))
            return;
    *(void **)&set = kind ? function(library, kind->set) : NULL;
    if (set)
        set(1);
}

/* *why: the reason of a failure. */
static bool load(struct summand__blas *blas, const char *file, const char **why)
{
    bool was_there = *file && dlopen(file, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    void *library = *file ? dlopen(file, RTLD_LAZY | RTLD_LOCAL) : NULL;
    *why = library ? "it has no cblas_dgemm" : *file ? dlerror() : "no file";
    if (!library || !take(blas, library))
        return false;
    blas->own = was_there;
    if (!was_there)
        set_one_thread(library);
    return true;
}

/* In this order: the program's own, if it is optimized; the one found at configure time; the
 * program's own in any case. */
static bool find(struct summand__blas *blas)
{
    struct summand__blas own;
    const char *why;
    bool any = take(&own, RTLD_DEFAULT);
    own.own = true;
    if (!(any && own.fast) && load(blas, SUMMAND_BLAS_FILE, &why))
        return true;
    *blas = own;
    return any;
}

/* The result of the search in this process. */
struct known {
    pthread_mutex_t lock;
    bool looked, any;
    char refused[400]; /* why the BLAS that SUMMAND_BLAS names is not available; else empty */
    struct summand__blas blas;
};

static void look(struct known *known)
{
    struct summand__setting setting;
    struct summand__complaint complaint;
    summand__environment_take("SUMMAND_BLAS", &setting, &complaint);
    if (!setting.text || !strcmp(setting.text, "auto")) {
        known->any = find(&known->blas);
    } else if (strcmp(setting.text, "off") != 0) {
        const char *why;
        known->any = load(&known->blas, setting.text, &why);
        known->blas.named = known->any;
        if (!known->any)
            snprintf(known->refused, sizeof known->refused,
                     "SUMMAND_BLAS: '%.150s' is no BLAS: %.200s", setting.text,
                     why ? why : "it cannot be loaded");
    }
    known->looked = true;
}

static const struct known *know(void)
{
    static struct known known = {.lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_mutex_lock(&known.lock);
    if (!known.looked)
        look(&known);
    pthread_mutex_unlock(&known.lock);
    return &known;
}

const struct summand__blas *summand__blas(void)
{
    const struct known *known = know();
    return known->any ? &known->blas : NULL;
}

const char *summand__blas_fault(void)
{
    struct summand__setting setting;
    struct summand__complaint complaint;
    summand__environment_read("SUMMAND_BLAS", &setting, &complaint);
    if (!setting.text || !strcmp(setting.text, "auto") || !strcmp(setting.text, "off"))
        return NULL;
    return *know()->refused ? know()->refused : NULL;
}

const char *summand__blas_advice(void)
{
    static const char *const wide[] = {"SkylakeX", "Cooperlake", "SapphireRapids", "Zen4", "Zen5"};
    const struct summand__blas *blas = summand__blas();
    if (*know()->refused)
        return "the file that SUMMAND_BLAS names cannot be loaded, or has no cblas_dgemm: products "
               "run on Summand's own kernel";
    if (!blas || (!blas->fast && !blas->named))
        return "no fast BLAS was found: products run on Summand's own kernel; install OpenBLAS or "
               "BLIS, or name one by SUMMAND_BLAS";
    if (!*blas->core || !summand__arch_supported(SUMMAND__AVX512))
        return NULL;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (!strcmp(blas->core, wide[i]))
            return NULL;
    return "this OpenBLAS does not know the processor, and leaves AVX-512 unused: set "
           "OPENBLAS_CORETYPE=SkylakeX before the program starts";
}
