#include <cuda_runtime.h>

#include <cstdint>

__global__ void gelu_kernel(const float* x, float* out, int64_t num_elements) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= num_elements) {
    float v = x[i];
    out[i] = 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
  }
}

extern "C" int gelu(const float* x, float* out, int64_t num_elements, cudaStream_t stream) {
  if (num_elements == 0) return cudaSuccess;
  int block_size = 256;
  int64_t num_blocks = (num_elements + block_size - 1) / block_size;
  gelu_kernel<<<num_blocks, block_size, 0, stream>>>(x, out, num_elements);
  return cudaGetLastError();
}
