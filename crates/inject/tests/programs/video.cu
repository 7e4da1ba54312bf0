// The SIMD intrinsics of the CUDA headers, and video instructions written by hand, against plain loops.
#include "check.h"
#include <cstdint>
#include <cstdlib>

const int N = 256, OPERATIONS = 20;

__device__ uint32_t intrinsic(int operation, uint32_t a, uint32_t b) {
    switch (operation) {
    case 0: return __vabsdiffu4(a, b);
    case 1: return __vabsdiffs4(a, b);
    case 2: return __vadd4(a, b);
    case 3: return __vaddus4(a, b);
    case 4: return __vaddss4(a, b);
    case 5: return __vsub4(a, b);
    case 6: return __vsubus4(a, b);
    case 7: return __vavgu4(a, b);
    case 8: return __vmaxs4(a, b);
    case 9: return __vminu4(a, b);
    case 10: return __vcmpgtu4(a, b);
    case 11: return __vsetles4(a, b);
    case 12: return __vsadu4(a, b);
    case 13: return __vabsdiffu2(a, b);
    case 14: return __vaddss2(a, b);
    case 15: return __vavgs2(a, b);
    case 16: return __vmins2(a, b);
    case 17: return __vseteq2(a, b);
    case 18: {
        uint32_t d;
        asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(7));
        return d;
    }
    default: {
        uint32_t d;
        asm("vadd.s32.u32.s32 %0, %1.b1, %2.h1;" : "=r"(d) : "r"(a), "r"(b));
        return d;
    }
    }
}

__global__ void all(const uint32_t *in, uint32_t *out) {
    int i = threadIdx.x;
    for (int operation = 0; operation < OPERATIONS; operation++)
        out[operation * N + i] = intrinsic(operation, in[2 * i], in[2 * i + 1]);
}

static int64_t lane(uint32_t v, int k, int bits, bool isSigned) {
    uint32_t raw = v >> (k * bits) & ((1u << bits) - 1);
    return isSigned && raw >> (bits - 1) ? int64_t(raw) - (1ll << bits) : raw;
}

static int64_t clamp(int64_t v, int64_t least, int64_t most) { return v < least ? least : v > most ? most : v; }

static uint32_t expected(int operation, uint32_t a, uint32_t b) {
    bool halves = operation >= 13 && operation <= 17;
    int bits = halves ? 16 : 8;
    bool isSigned = operation == 1 || operation == 4 || operation == 8 || operation == 11 ||
                    (operation >= 14 && operation <= 16);
    if (operation == 19)
        return (a >> 8 & 0xff) + uint32_t(lane(b, 1, 16, true));
    uint32_t d = 0, sum = operation == 18 ? 7 : 0;
    for (int k = 0; k < 32 / bits; k++) {
        int64_t x = lane(a, k, bits, isSigned), y = lane(b, k, bits, isSigned), r = 0;
        switch (operation) {
        case 0: case 1: case 12: case 13: case 18: r = llabs(x - y); break;
        case 2: r = x + y; break;
        case 3: r = clamp(x + y, 0, 255); break;
        case 4: r = clamp(x + y, -128, 127); break;
        case 5: r = x - y; break;
        case 6: r = clamp(x - y, 0, 255); break;
        case 7: r = (x + y + 1) >> 1; break;
        case 8: r = x > y ? x : y; break;
        case 9: case 16: r = x < y ? x : y; break;
        case 10: r = x > y ? 0xff : 0; break;
        case 11: r = x <= y; break;
        case 14: r = clamp(x + y, -32768, 32767); break;
        // Halves go away from zero.
        case 15: r = (x + y + (x + y >= 0)) >> 1; break;
        case 17: r = x == y; break;
        }
        d |= uint32_t(r & ((1ll << bits) - 1)) << (k * bits);
        sum += uint32_t(r);
    }
    return operation == 12 || operation == 18 ? sum : d;
}

int main() {
    static uint32_t in[2 * N], out[OPERATIONS * N];
    const uint32_t special[] = {0, 0xffffffff, 0x80808080, 0x7f7f7f7f, 0x01010101, 0x80007fff, 0xff00ff00, 0x0100ffff};
    uint32_t z = 12345;
    for (int i = 0; i < 2 * N; i++) {
        z = z * 1664525u + 1013904223u;
        in[i] = i < 128 ? special[i / (i & 1 ? 16 : 2) % 8] : z ^ z >> 15;
    }
    uint32_t *deviceIn, *deviceOut;
    OK(cudaMalloc(&deviceIn, sizeof in));
    OK(cudaMalloc(&deviceOut, sizeof out));
    OK(cudaMemcpy(deviceIn, in, sizeof in, cudaMemcpyDefault));
    all<<<1, N>>>(deviceIn, deviceOut);
    OK(cudaMemcpy(out, deviceOut, sizeof out, cudaMemcpyDefault));
    for (int operation = 0; operation < OPERATIONS; operation++)
        for (int i = 0; i < N; i++)
            if (out[operation * N + i] != expected(operation, in[2 * i], in[2 * i + 1])) {
                printf("operation %d: %08x %08x gives %08x, not %08x\n", operation, in[2 * i], in[2 * i + 1],
                       out[operation * N + i], expected(operation, in[2 * i], in[2 * i + 1]));
                return 1;
            }
    puts("ok");
}
