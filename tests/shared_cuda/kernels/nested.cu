// A kernel that launches a kernel: nvcc wants other flags for it, and the emulator refuses.
#include <cuda_runtime.h>

__global__ void inner_kernel(float* x) { x[0] = 1.0f; }
__global__ void outer_kernel(float* x) { inner_kernel<<<1, 1>>>(x); }

extern "C" int nested(float* x, cudaStream_t stream) {
  outer_kernel<<<1, 1, 0, stream>>>(x);
  return cudaGetLastError();
}
