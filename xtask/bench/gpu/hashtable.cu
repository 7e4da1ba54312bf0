// 8 Mi keys put into a table of 32 Mi places by compare-and-swap, then looked up.
#include "../timed.h"

const unsigned PLACES = 32u << 20, KEYS = 8u << 20;

__global__ void put(unsigned *table) {
    unsigned key = blockIdx.x * blockDim.x + threadIdx.x + 1, at = key * 2654435761u % PLACES;
    while (true) {
        unsigned there = atomicCAS(&table[at], 0u, key);
        if (there == 0 || there == key) return;
        at = (at + 1) % PLACES;
    }
}

__global__ void find(const unsigned *table, unsigned *found) {
    unsigned key = blockIdx.x * blockDim.x + threadIdx.x + 1, at = key * 2654435761u % PLACES;
    while (table[at] != key && table[at] != 0) at = (at + 1) % PLACES;
    found[key - 1] = at;
}

int main() {
    unsigned *table, *found;
    cudaMalloc(&table, sizeof *table * PLACES);
    cudaMalloc(&found, sizeof *found * KEYS);
    cudaMemset(table, 0, sizeof *table * PLACES);
    put<<<KEYS / 256, 256>>>(table);
    find<<<KEYS / 256, 256>>>(table, found);
    cudaMemset(table, 0, sizeof *table * PLACES);
    Timed timed;
    put<<<KEYS / 256, 256>>>(table);
    for (int i = 0; i < 4; i++) find<<<KEYS / 256, 256>>>(table, found);
}
