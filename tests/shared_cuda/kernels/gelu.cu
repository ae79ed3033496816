#include <cuda_runtime.h>
#include <math.h>

__global__ void gelu_kernel(const float* __restrict__ x, float* __restrict__ out, int64_t n) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    out[i] = 0.5f * v * (1.0f + erff(v * 0.70710678118654752f));
  }
}

extern "C" int gelu(const float* x, float* out, int64_t num_elements, cudaStream_t stream) {
  int threads = 256;
  int blocks = (int)((num_elements + threads - 1) / threads);
  if (blocks > 0) gelu_kernel<<<blocks, threads, 0, stream>>>(x, out, num_elements);
  return cudaGetLastError();
}
