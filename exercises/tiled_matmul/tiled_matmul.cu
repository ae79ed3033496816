// C = A · B in CUDA, with tiles in shared memory. See README.md.
#include <cuda_runtime.h>

__global__ void matmul_kernel(const float* a, const float* b, float* c, int M, int N, int K) {
  // TODO: one block computes one tile of C. Along K, the block loads a tile of A and a tile of B into
  // shared memory, waits, adds up the products, waits again, and goes on to the next pair.
}

// C (M x N) = A (M x K) · B (K x N), all row-major. Returns 0, or the error of the launch.
extern "C" int matmul(const float* a, const float* b, float* c, int M, int N, int K,
                      cudaStream_t stream) {
  // TODO: choose the block and the grid, launch on `stream`, return what cudaGetLastError() says.
  return cudaErrorNotYetImplemented;
}
