//@ lens-ptx: clean
// Threads allocate small nodes on the device's heap and hand them to other threads.
// Clean: fences on both sides of the exchange.
#include "../support/check.h"

struct Node {
    int value, unused[3];
};

constexpr int N = 64;

// Nodes of 16 bytes, so that several lie on one line of memory.
__global__ void hand_over(Node **slots, int *out) {
    int t = threadIdx.x;
    auto address = reinterpret_cast<unsigned long long *>(&slots[t % 32]);
    if (t < 32) {
        Node *node = static_cast<Node *>(malloc(sizeof(Node)));
        node->value = t;
        __threadfence();
        atomicExch(address, reinterpret_cast<unsigned long long>(node));
    } else {
        unsigned long long found;
        while ((found = atomicAdd(address, 0)) == 0) {
        }
        __threadfence();
        out[t] = reinterpret_cast<Node *>(found)->value;
    }
}

int main() {
    int got[N], *out, wrong = 0;
    Node **slots;
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMalloc(&slots, 32 * sizeof(Node *)));
    CHECK(cudaMemset(slots, 0, 32 * sizeof(Node *)));
    hand_over<<<1, N>>>(slots, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 32; i < N; ++i) wrong += got[i] != i - 32;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
