// GELU in CUDA: every element is read once and written once. See README.md.
#include <cuda_runtime.h>

#include <cstdint>

__global__ void gelu_kernel(const float* x, float* out, int64_t num_elements) {
  // TODO: which element is this thread's? Is there one? Read it, compute, write it.
}

// out[i] = GELU(x[i]) for i < num_elements. Returns 0, or the error of the launch.
extern "C" int gelu(const float* x, float* out, int64_t num_elements, cudaStream_t stream) {
  // TODO: choose the block and the grid, launch on `stream`, return what cudaGetLastError() says.
  return cudaErrorNotYetImplemented;
}
