/* tenfold/error.h: how calls fail, and what the symbols of the library look like. */
#ifndef TENFOLD_ERROR_H
#define TENFOLD_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TF_API __attribute__((visibility("default")))
#else
#define TF_API
#endif

enum tf_status {
    TF_OK,
    TF_ERROR_ARGUMENT,    /* the caller gave something that makes no sense */
    TF_ERROR_MEMORY,      /* the host has no memory or no addresses left */
    TF_ERROR_OBJECT,      /* the code object is malformed or not for this GPU */
    TF_ERROR_NOT_FOUND,   /* nothing of that name or at that address */
    TF_ERROR_UNMAPPED,    /* guest memory is not mapped there */
    TF_ERROR_LIMIT,       /* more than the hardware or Tenfold allows */
    TF_ERROR_LOST,        /* the queue was lost earlier */
    TF_ERROR_UNSUPPORTED, /* well-formed, but not built into this version */
};

enum { TF_ERROR_TEXT = 1024 };

/* Why a call failed. The caller's own; text says place and reason. */
struct tf_error {
    enum tf_status status;
    char text[TF_ERROR_TEXT];
};

/* A short name of a status, for messages; static. */
TF_API const char *tf_status_name(enum tf_status status);

#ifdef __cplusplus
}
#endif

#endif
