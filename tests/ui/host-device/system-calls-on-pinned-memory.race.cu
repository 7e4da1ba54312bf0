//@ lens-ptx: race
//@ class: memcpy-async
//@ nvcc: -g
//@ advice: the clean twin fills the half that no copy uses
// Double buffering: a copy uses one half of a pinned buffer while the host fills the other by `readv`, and sends it by `writev`.
// The bug: it fills the half that is in use.
#include "../support/check.h"
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

constexpr int HALF = 4096;

__global__ void use(const char *numbers, int *sum) {
    atomicAdd(sum, numbers[threadIdx.x]);
}

int main() {
    char *pinned, *device;
    int *sum;
    cudaStream_t stream;
    CHECK(cudaMallocHost(&pinned, 2 * HALF));
    CHECK(cudaMalloc(&device, HALF));
    CHECK(cudaMalloc(&sum, sizeof *sum));
    CHECK(cudaMemset(sum, 0, sizeof *sum));
    CHECK(cudaStreamCreate(&stream));
    int zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", O_WRONLY);
    for (int round = 0; round < 4; round++) {
        char *used = pinned + (round & 1) * HALF;
        char *next = used;
        CHECK(cudaMemcpyAsync(device, used, HALF, cudaMemcpyHostToDevice, stream)); //~ RACE(1)
        use<<<1, 64, 0, stream>>>(device, sum);
        iovec parts[2] = {{next, 100}, {next + 100, HALF - 100}};
        if (readv(zero, parts, 2) != HALF) return 1; //~ RACE(1)
        if (writev(null, parts, 2) != HALF) return 1;
        CHECK(cudaStreamSynchronize(stream));
    }
    return 0;
}
