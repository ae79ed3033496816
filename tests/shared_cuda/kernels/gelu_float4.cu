#include <cuda_runtime.h>

__device__ __forceinline__ float activation(float v) {
  return 0.5f * v * (1.0f + erff(v * 0.70710678118654752f));
}

// Four elements a thread and a step; the last few one by one.
__global__ void __launch_bounds__(256, 2)
    gelu_kernel(const float* __restrict__ x, float* __restrict__ out, int64_t n) {
  int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  int64_t step = (int64_t)gridDim.x * blockDim.x;
  const float4* x4 = reinterpret_cast<const float4*>(x);
  float4* out4 = reinterpret_cast<float4*>(out);
  for (int64_t i = first; i < n / 4; i += step) {
    float4 v = __ldg(&x4[i]);
    v.x = activation(v.x);
    v.y = activation(v.y);
    v.z = activation(v.z);
    v.w = activation(v.w);
    out4[i] = v;
  }
  for (int64_t i = n / 4 * 4 + first; i < n; i += step) out[i] = activation(x[i]);
}

extern "C" int gelu(const float* x, float* out, int64_t num_elements, cudaStream_t stream) {
  gelu_kernel<<<4, 64, 0, stream>>>(x, out, num_elements);
  return cudaGetLastError();
}
