//@ lens-ptx: race
//@ class: missing-fence
// Threads allocate small nodes on the device's heap and hand them to other threads.
// The bug: the exchange is relaxed, and neither side has a fence. The clean twin has both.
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
        Node *node = static_cast<Node *>(malloc(sizeof(Node))); //~ RACE(2)
        node->value = t; //~ RACE(1)
        atomicExch(address, reinterpret_cast<unsigned long long>(node));
    } else {
        unsigned long long found;
        while ((found = atomicAdd(address, 0)) == 0) {
        }
        out[t] = reinterpret_cast<Node *>(found)->value; //~ RACE(1) RACE(2)
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
