// Device output falls in line with the host's.
#include <cstdio>
__global__ void speak(int n) { printf("device %d\n", n); }
int main() {
    std::printf("host 1\n");
    speak<<<1, 1>>>(2);
    cudaDeviceSynchronize();
    std::printf("host 3\n");
    speak<<<1, 1>>>(4);
}
