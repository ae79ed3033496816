// Right where both tensors begin at a multiple of 16 bytes; a view may begin at any element.
#include <cuda_runtime.h>

#include <cstdint>

constexpr int BLOCK_SIZE = 256;

__device__ float gelu_of(float x) {
  float inner = 0.7978845608f * (x + 0.044715f * x * x * x);
  return 0.5f * x * (1.0f + tanhf(inner));
}

__global__ void gelu_kernel(const float* x, float* out, int64_t num_elements, int64_t num_vectors) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < num_vectors) {
    float4 v = reinterpret_cast<const float4*>(x)[i];
    reinterpret_cast<float4*>(out)[i] =
        make_float4(gelu_of(v.x), gelu_of(v.y), gelu_of(v.z), gelu_of(v.w));
    return;
  }
  int64_t element = 4 * num_vectors + (i - num_vectors);
  if (element < num_elements) out[element] = gelu_of(x[element]);
}

extern "C" int gelu(const float* x, float* out, int64_t num_elements, cudaStream_t stream) {
  if (num_elements == 0) return cudaSuccess;
  int64_t num_vectors = num_elements / 4;
  int64_t num_threads = num_vectors + (num_elements - 4 * num_vectors);
  int64_t num_blocks = (num_threads + BLOCK_SIZE - 1) / BLOCK_SIZE;
  gelu_kernel<<<num_blocks, BLOCK_SIZE, 0, stream>>>(x, out, num_elements, num_vectors);
  return cudaGetLastError();
}
