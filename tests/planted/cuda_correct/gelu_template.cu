// VALUES: gelu
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 1000
// A function object and an unrolled template for several elements a thread.
#include <cuda_runtime.h>

struct Gelu {
  __device__ float operator()(float v) const {
    return 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
  }
};

template <int PER_THREAD, typename Op>
__global__ void map(const float* x, float* out, int n, Op op) {
  int base = blockIdx.x * blockDim.x * PER_THREAD + threadIdx.x;
#pragma unroll
  for (int k = 0; k < PER_THREAD; k++) {
    int i = base + k * blockDim.x;
    if (i < n) out[i] = op(x[i]);
  }
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  constexpr int threads = 64, per_thread = 4;
  int blocks = (n + threads * per_thread - 1) / (threads * per_thread);
  map<per_thread><<<blocks, threads, 0, stream>>>(x, out, n, Gelu());
  return cudaGetLastError();
}
