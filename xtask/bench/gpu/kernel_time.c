/* Times the kernels of an unmodified program: a library that the CUDA driver loads when CUDA_INJECTION64_PATH names it.
 *
 *     gcc -O2 -shared -fPIC -I$CUPTI/include kernel_time.c -o kernel_time.so -L$CUPTI/lib64 -lcupti
 *     KERNEL_TIME=file CUDA_INJECTION64_PATH=$PWD/kernel_time.so ./app
 *
 * A process appends one line to the file when it ends: how many kernels ran, and the sum of their times in nanoseconds, by
 * CUPTI's activity records. Kernels that a tool adds are among them. */
#include <cupti.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUFFER = 1 << 20, ALIGNMENT = 8 };

static unsigned long long kernels, nanoseconds;

static void CUPTIAPI requested(uint8_t **buffer, size_t *size, size_t *records) {
    *buffer = aligned_alloc(ALIGNMENT, BUFFER);
    *size = *buffer ? BUFFER : 0;
    *records = 0;
}

static void CUPTIAPI completed(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid) {
    CUpti_Activity *record = NULL;
    while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
        if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
        const CUpti_ActivityKernel10 *kernel = (const CUpti_ActivityKernel10 *)record;
        __atomic_fetch_add(&kernels, 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&nanoseconds, kernel->end - kernel->start, __ATOMIC_RELAXED);
    }
    free(buffer);
}

static void tell(void) {
    cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    FILE *file = fopen(getenv("KERNEL_TIME"), "a");
    if (!file) return;
    fprintf(file, "%llu %llu\n", kernels, nanoseconds);
    fclose(file);
}

/* The driver calls it when the program initialises CUDA. */
int InitializeInjection(void) {
    if (!getenv("KERNEL_TIME")) return 1;
    if (cuptiActivityRegisterCallbacks(requested, completed) == CUPTI_SUCCESS &&
        cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) == CUPTI_SUCCESS)
        atexit(tell);
    return 1;
}
