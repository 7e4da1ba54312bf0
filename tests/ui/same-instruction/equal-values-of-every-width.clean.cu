//@ lens-ptx: clean
// A warp stores what all of its lanes have computed, in every width, in global and shared memory.
// Clean: one lane stores.
#include "../support/check.h"

struct Result {
    char byte;
    short half;
    int word;
    long long wide;
    int2 pair;
    float4 four;
    int masked;
};

__global__ void reduce(const int *in, Result *out) {
    __shared__ int tile[8];
    int sum = in[threadIdx.x];
    for (int s = 16; s > 0; s /= 2) sum += __shfl_xor_sync(~0u, sum, s);
    if (threadIdx.x == 0) {
        out->byte = sum;
        out->half = sum;
        out->word = sum;
        out->wide = sum;
        out->pair = make_int2(sum, 2 * sum);
        out->four = make_float4(sum, 1, 2, 3);
        tile[sum & 7] = sum;
    }
    __syncwarp();
    if (threadIdx.x == 2)
        out->masked = tile[sum & 7];
}

int main() {
    int host[32], *in;
    Result got, *out;
    for (int i = 0; i < 32; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    reduce<<<1, 32>>>(in, out);
    CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    bool right = got.half == 496 && got.word == 496 && got.wide == 496 && got.pair.y == 992;
    right = right && got.byte == (char)496 && got.four.x == 496 && got.four.w == 3 && got.masked == 496;
    std::printf("%s\n", right ? "right" : "wrong");
    return !right;
}
