/* A template, a functor, a macro for errors, and a launcher that computes its grid by a helper. */
#include <cstdio>
#define CHECK(call) do { cudaError_t error = (call); if (error != cudaSuccess) return error; } while (0)
namespace {
struct Twice { __device__ float operator()(float v) const { return v + v; } };
template <typename F, int Block> __global__ void map_kernel(const float* __restrict__ x, float* __restrict__ out, int n, F f) {
    for (int i = blockIdx.x * Block + threadIdx.x; i < n; i += gridDim.x * Block) out[i] = f(x[i]);
}
constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }
}  // namespace
extern "C" int twice(const float* x, float* out, int num_elements, cudaStream_t stream) {
    map_kernel<Twice, 64><<<ceil_div(num_elements, 64), 64, 0, stream>>>(x, out, num_elements, Twice{});
    CHECK(cudaGetLastError());
    return 0;
}
