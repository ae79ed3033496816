// What nvcc 13.0 wrote of this file is in kernels.ptx, and what it said in kernels.txt:
// nvcc -cubin --keep -Xptxas -v -O3 -lineinfo -std=c++17 -arch=sm_80 kernels.cu -o kernels.cubin
#include "lecture.cuh"

namespace own {
template <typename T, int STEP>
__global__ void rotate(T* x) {
  __shared__ T tile[256];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[threadIdx.x ^ STEP] + __shfl_down_sync(~0u, x[threadIdx.x], 1);
}
}  // namespace own

namespace {
__global__ void shift(float4* x) { x[threadIdx.x] = x[threadIdx.x + 1]; }
}  // namespace

__device__ __noinline__ float outside(const float4* x) { return x[0].x + x[0].w; }

extern "C" __global__ void plain(float* x) { x[0] = outside(reinterpret_cast<float4*>(x)); }

extern "C" int launch(float* x) {
  own::rotate<float, 4><<<1, 256>>>(x);
  own::rotate<unsigned, 8><<<1, 256>>>(reinterpret_cast<unsigned*>(x));
  shift<<<1, 1>>>(reinterpret_cast<float4*>(x));
  plain<<<1, 1>>>(x);
  lecture_kernel<<<1, 1>>>(x);
  return cudaGetLastError();
}
