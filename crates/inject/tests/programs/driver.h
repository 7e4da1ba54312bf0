// What programs of the driver's API check themselves with: they say what is wrong and where, and exit with 1.
#pragma once
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK(call) do { CUresult r_ = (call); if (r_) { const char *n_ = 0; cuGetErrorName(r_, &n_); \
    fprintf(stderr, "%d: %s: %s\n", __LINE__, #call, n_ ? n_ : "?"); exit(1); } } while (0)
#define FAILS(call, code) do { CUresult r_ = (call); if (r_ != (code)) { \
    fprintf(stderr, "%d: %s: %d, not %d\n", __LINE__, #call, r_, (int)(code)); exit(1); } } while (0)
#define EXPECT(what) do { if (!(what)) { fprintf(stderr, "%d: not so: %s\n", __LINE__, #what); exit(1); } } while (0)
