// Streams that wait for values in memory, and write them. argv[1] is a file with PTX of driver_values.cu; argv[2] says whether the
// value is written behind the kernel whose result it announces (`ordered`) or before it (`early`), or without a fence (`waived`).
#include "driver.h"

enum { N = 32 };
static CUmodule module;
static CUstream producer, consumer;
static CUdeviceptr data, out, flag;

static void launch(const char *name, CUstream stream, void **arguments) {
    CUfunction found;
    OK(cuModuleGetFunction(&found, module, name));
    OK(cuLaunchKernel(found, 1, 1, 1, N, 1, 1, 0, stream, arguments, 0));
}

static void expect(int value) {
    int back[N];
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH_v2(back, out, sizeof back));
    for (int i = 0; i < N; i++) EXPECT(back[i] == value);
}

// One wait for each comparison; the value that satisfies it is written first.
static void comparisons(void) {
    OK(cuStreamWriteValue32_v2(producer, flag, 6, 0));
    OK(cuStreamWriteValue64_v2(producer, flag + 8, 1ull << 40, 0));
    OK(cuStreamWaitValue32_v2(producer, flag, 5, CU_STREAM_WAIT_VALUE_GEQ));
    OK(cuStreamWaitValue32_v2(producer, flag, (cuuint32_t)-5, CU_STREAM_WAIT_VALUE_GEQ));
    OK(cuStreamWaitValue32_v2(producer, flag, 6, CU_STREAM_WAIT_VALUE_EQ));
    OK(cuStreamWaitValue32_v2(producer, flag, 2, CU_STREAM_WAIT_VALUE_AND));
    OK(cuStreamWaitValue32_v2(producer, flag, 1, CU_STREAM_WAIT_VALUE_NOR | CU_STREAM_WAIT_VALUE_FLUSH));
    OK(cuStreamWaitValue64_v2(producer, flag + 8, 1ull << 39, CU_STREAM_WAIT_VALUE_GEQ));
    OK(cuStreamWaitValue64_v2(producer, flag + 8, 1ull << 40, CU_STREAM_WAIT_VALUE_EQ));
    OK(cuStreamWaitValue64_v2(producer, flag + 8, 3ull << 40, CU_STREAM_WAIT_VALUE_AND));
    OK(cuStreamWaitValue64_v2(producer, flag + 8, 1, CU_STREAM_WAIT_VALUE_NOR));
    OK(cuStreamSynchronize(producer));
    FAILS(cuStreamWaitValue32_v2(producer, flag + 2, 1, 0), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuStreamWaitValue32_v2(producer, 64, 1, 0), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuStreamWriteValue64_v2(producer, flag + 4, 1, 0), CUDA_ERROR_INVALID_VALUE);
}

static void batches(void) {
    CUstreamBatchMemOpParams all[3] = {0};
    all[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32, all[0].writeValue.address = flag + 16, all[0].writeValue.value = 3;
    all[1].operation = CU_STREAM_MEM_OP_BARRIER;
    all[2].operation = CU_STREAM_MEM_OP_WRITE_VALUE_64, all[2].writeValue.address = flag + 24, all[2].writeValue.value64 = 4;
    launch("fill", producer, (void *[]){&data});
    OK(cuStreamBatchMemOp_v2(producer, 3, all, 0));
    all[0].operation = CU_STREAM_MEM_OP_WAIT_VALUE_32, all[0].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    all[2].operation = CU_STREAM_MEM_OP_WAIT_VALUE_64, all[2].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    all[1].operation = CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES;
    OK(cuStreamBatchMemOp_v2(consumer, 3, all, 0));
    launch("twice", consumer, (void *[]){&data, &out});
    expect(14);
    all[1].operation = 77;
    FAILS(cuStreamBatchMemOp_v2(consumer, 3, all, 0), CUDA_ERROR_INVALID_VALUE);
}

// The consumer is submitted first, and waits.
static void handed_over(const char *how) {
    OK(cuMemsetD32_v2(flag, 0, 8));
    OK(cuMemsetD32_v2(data, 0, N));
    OK(cuCtxSynchronize());
    OK(cuStreamWaitValue32_v2(consumer, flag, 1, CU_STREAM_WAIT_VALUE_GEQ));
    launch("twice", consumer, (void *[]){&data, &out});
    if (!strcmp(how, "early")) OK(cuStreamWriteValue32_v2(producer, flag, 1, 0));
    launch("fill", producer, (void *[]){&data});
    if (!strcmp(how, "ordered")) OK(cuStreamWriteValue32_v2(producer, flag, 1, 0));
    // The first form of the function has the flag.
    CUresult (*first)(CUstream, CUdeviceptr, cuuint32_t, unsigned) = 0;
    OK(cuGetProcAddress_v2("cuStreamWriteValue32", (void **)&first, 8000, 0, 0));
    if (!strcmp(how, "waived")) OK(first(producer, flag, 1, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER));
    OK(cuCtxSynchronize());
}

int main(int argc, char **argv) {
    CUcontext context;
    OK(cuInit(0));
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuStreamCreate(&producer, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&consumer, CU_STREAM_NON_BLOCKING));
    OK(cuMemAlloc_v2(&data, 4 * N));
    OK(cuMemAlloc_v2(&out, 4 * N));
    OK(cuMemAlloc_v2(&flag, 32));
    OK(cuMemsetD32_v2(flag, 0, 8));
    OK(cuCtxSynchronize());
    OK(cuModuleLoad(&module, argv[argc - 2]));
    if (!strcmp(argv[argc - 1], "ordered")) {
        comparisons();
        batches();
    }
    handed_over(argv[argc - 1]);
    puts("right");
}
