// Tests of GoogleTest: in one suite one test has a race and one has none; a test with parameters has a race for one of them.

#include <gtest/gtest.h>
#include <thread>

__global__ void racy(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void ordered(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void sums(int *out, int stride) {
    __shared__ int s[64];
    s[threadIdx.x] = 1;
    // With a stride of 0 every thread reads what it has written.
    int other = s[(threadIdx.x + stride) % 64];
    out[threadIdx.x] = other;
}

class Reverse : public testing::Test {
protected:
    void SetUp() override { cudaMalloc(&out, 64 * sizeof(int)); }
    void TearDown() override { cudaFree(out); }
    int *out = nullptr;
};

TEST_F(Reverse, WithoutBarrier) {
    racy<<<1, 64>>>(out);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(Reverse, WithBarrier) {
    ordered<<<1, 64>>>(out);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

class Stride : public Reverse, public testing::WithParamInterface<int> {};

TEST_P(Stride, Sums) {
    sums<<<1, 64>>>(out, GetParam());
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

INSTANTIATE_TEST_SUITE_P(Each, Stride, testing::Values(0, 1));

// Results are reported to listeners while the framework's lock is held: it must not be asked for the test there.
class LaunchesInReports : public testing::EmptyTestEventListener {
    void OnTestPartResult(const testing::TestPartResult &) override {
        int *out;
        cudaMalloc(&out, 64 * sizeof(int));
        ordered<<<1, 64>>>(out);
        cudaDeviceSynchronize();
        cudaFree(out);
    }
};

TEST(Report, LaunchesAKernel) { ADD_FAILURE() << "expected"; }

// One thread calls CUDA with the framework's lock while another one launches: neither may wait for both locks.
TEST(Report, LaunchesBesideOtherThreads) {
    std::thread other([] {
        int *out;
        cudaMalloc(&out, 64 * sizeof(int));
        for (int i = 0; i < 300; i++) {
            ordered<<<1, 64>>>(out);
            cudaDeviceSynchronize();
        }
        cudaFree(out);
    });
    for (int i = 0; i < 300; i++) {
        SUCCEED();
    }
    other.join();
}

int main(int argc, char **argv) {
    testing::InitGoogleTest(&argc, argv);
    testing::UnitTest::GetInstance()->listeners().Append(new LaunchesInReports);
    return RUN_ALL_TESTS();
}
