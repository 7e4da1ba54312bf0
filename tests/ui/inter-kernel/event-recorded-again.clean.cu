//@ lens-ptx: clean
// Two streams work in turns, with one event that is recorded anew each time.
// Clean: each wait refers to the last record of the event, on the other stream.
#include "../support/check.h"

constexpr int N = 32;

__global__ void fill(int *numbers, int value) {
    numbers[threadIdx.x] = value;
}

__global__ void add_up(const int *numbers, int *sum) {
    int number = numbers[threadIdx.x];
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
        CHECK(cudaEventRecord(turn, first));
        CHECK(cudaStreamWaitEvent(second, turn, 0));
        add_up<<<1, N, 0, second>>>(numbers + round * N, sum);
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, sum, sizeof got, cudaMemcpyDeviceToHost));
    for (int v : got) wrong += v != 3;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
