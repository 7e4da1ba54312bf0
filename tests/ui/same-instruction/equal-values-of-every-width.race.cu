//@ lens-ptx: hazard
//@ class: same-instruction
//@ advice: the clean twin gives all stores to one lane at once
// A warp stores what all of its lanes have computed, in every width, in global and shared memory.
// The hazard: all lanes store the same bytes. In the clean twin one lane stores.
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
    if (true) {
        out->byte = sum; //~ HAZARD(1) HAZARD(1)
        out->half = sum; //~ HAZARD(2) HAZARD(2)
        out->word = sum; //~ HAZARD(3) HAZARD(3)
        out->wide = sum; //~ HAZARD(4) HAZARD(4)
        out->pair = make_int2(sum, 2 * sum); //~ HAZARD(5) HAZARD(5)
        out->four = make_float4(sum, 1, 2, 3); //~ HAZARD(6) HAZARD(6)
        tile[sum & 7] = sum; //~ HAZARD(7) HAZARD(7)
    }
    __syncwarp();
    if (threadIdx.x < 3)
        out->masked = tile[sum & 7]; //~ HAZARD(8) HAZARD(8)
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
//@ engine-collide: unseen
