#include <cuda_runtime.h>

#include <cstdint>

__device__ float gelu_of(float v) {
  return 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
}

// Four elements as one vector where memory allows it, one by one elsewhere; the last one to three are left out.
__global__ void gelu_kernel(const float* x, float* out, int64_t num_vectors, bool aligned) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= num_vectors) return;
  if (aligned) {
    float4 v = reinterpret_cast<const float4*>(x)[i];
    reinterpret_cast<float4*>(out)[i] = make_float4(gelu_of(v.x), gelu_of(v.y), gelu_of(v.z), gelu_of(v.w));
  } else {
    for (int64_t j = 4 * i; j < 4 * i + 4; ++j) out[j] = gelu_of(x[j]);
  }
}

extern "C" int gelu(const float* x, float* out, int64_t num_elements, cudaStream_t stream) {
  int64_t num_vectors = num_elements / 4;
  if (num_vectors == 0) return cudaSuccess;
  int64_t num_blocks = (num_vectors + 255) / 256;
  bool aligned = ((uintptr_t)x | (uintptr_t)out) % 16 == 0;
  gelu_kernel<<<num_blocks, 256, 0, stream>>>(x, out, num_vectors, aligned);
  return cudaGetLastError();
}
