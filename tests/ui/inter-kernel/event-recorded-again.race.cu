//@ lens-ptx: race
//@ class: inter-kernel
// Two streams work in turns, with one event that is recorded anew each time.
// The bug: the second round's event is recorded on the wrong stream, so the wait refers
// to the waiting stream itself. The clean twin records it on the other.
#include "../support/check.h"

constexpr int N = 32;

__global__ void fill(int *numbers, int value) {
    numbers[threadIdx.x] = value; //~ RACE(1)
}

__global__ void add_up(const int *numbers, int *sum) {
    int number = numbers[threadIdx.x]; //~ RACE(1)
    sum[threadIdx.x] += number;
}

int main() {
    int got[N], *numbers, *sum, wrong = 0;
    cudaStream_t first, second;
    cudaEvent_t turn;
    CHECK(cudaMalloc(&numbers, 2 * sizeof got));
    CHECK(cudaMalloc(&sum, sizeof got));
    CHECK(cudaMemset(sum, 0, sizeof got));
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    CHECK(cudaEventCreate(&turn));
    for (int round = 0; round < 2; ++round) {
        fill<<<1, N, 0, first>>>(numbers + round * N, round + 1);
        CHECK(cudaEventRecord(turn, round == 0 ? first : second));
        CHECK(cudaStreamWaitEvent(second, turn, 0));
        add_up<<<1, N, 0, second>>>(numbers + round * N, sum);
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, sum, sizeof got, cudaMemcpyDeviceToHost));
    for (int v : got) wrong += v != 3;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
