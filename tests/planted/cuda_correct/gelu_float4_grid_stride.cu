// VALUES: gelu
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 4099
// A grid-stride loop over float4, and the tail by single elements.
#include <cuda_runtime.h>

__device__ __forceinline__ float gelu(float v) {
  return 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
}

__global__ void gelu_kernel(const float* __restrict__ x, float* __restrict__ out, int n) {
  int first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
  for (int i = first; i < n / 4; i += stride) {
    float4 v = reinterpret_cast<const float4*>(x)[i];
    reinterpret_cast<float4*>(out)[i] = make_float4(gelu(v.x), gelu(v.y), gelu(v.z), gelu(v.w));
  }
  for (int i = n / 4 * 4 + first; i < n; i += stride) out[i] = gelu(x[i]);
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  gelu_kernel<<<3, 128, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
