// GELU in CUDA: every element is read once and written once. See README.md.
#include <cuda_runtime.h>

#include <cstdint>

constexpr int BLOCK_SIZE = 256;

__device__ float gelu_of(float x) {
  // f on every literal: 0.5 without it is a double, and so is all that it touches.
  float inner = 0.7978845608f * (x + 0.044715f * x * x * x);
  // tanhf saturates at ±1. Built from exponentials it would end in inf / inf for |x| beyond 10.
  return 0.5f * x * (1.0f + tanhf(inner));
}

// The first num_vectors threads take four elements each, the threads after them one of the rest.
__global__ void gelu_kernel(const float* x, float* out, int64_t num_elements, int64_t num_vectors) {
  // 64 bits before the multiplication: blockIdx.x * blockDim.x alone is a 32-bit product.
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

// A float4 is read in one instruction, which needs an address that is a multiple of its 16 bytes.
static bool is_aligned(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer) % sizeof(float4) == 0;
}

// out[i] = GELU(x[i]) for i < num_elements. Returns 0, or the error of the launch.
extern "C" int gelu(const float* x, float* out, int64_t num_elements, cudaStream_t stream) {
  // A grid of no blocks is an error, and there is nothing to do.
  if (num_elements == 0) return cudaSuccess;

  // Wide loads keep more bytes in flight per instruction. A view may begin anywhere, so they are
  // used only where both pointers allow it; one element a thread is right for the others.
  int64_t num_vectors = is_aligned(x) && is_aligned(out) ? num_elements / 4 : 0;
  int64_t num_threads = num_vectors + (num_elements - 4 * num_vectors);
  int64_t num_blocks = (num_threads + BLOCK_SIZE - 1) / BLOCK_SIZE;
  gelu_kernel<<<num_blocks, BLOCK_SIZE, 0, stream>>>(x, out, num_elements, num_vectors);

  // Tells of a refused launch. What goes wrong inside the kernel shows at the next synchronisation.
  return cudaGetLastError();
}
