// vllm-project/vllm #2760: ranks set a byte each of a word that is polled whole: strong accesses of two sizes are no atomics to each other.
//@ class: mixed-size
#include "support/bug.h"

template <bool fixed> __global__ void signal(unsigned* flags, int* out) {
    if (blockIdx.x == 0) {
        if (fixed) *(volatile unsigned*)flags = 1;
        else *(volatile unsigned char*)flags = 1; //~ RACE(1)
    } else {
        while (*(volatile unsigned*)flags == 0) {} //~ RACE(1)
        *out = 1;
    }
}

template <bool fixed> void run() {
    signal<fixed><<<2, 1>>>(zeros<unsigned>(1), zeros<int>(1));
    finish();
}
