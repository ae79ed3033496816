#include <cuda_runtime.h>

constexpr int T = 16;

__global__ void matmul_kernel(const float* a, const float* b, float* c, int M, int N, int K) {
  __shared__ float a_tile[T][T];
  __shared__ float b_tile[T][T];
  int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
  float sum = 0.0f;
  for (int first_k = 0; first_k < K; first_k += T) {
    int a_col = first_k + threadIdx.x, b_row = first_k + threadIdx.y;
    a_tile[threadIdx.y][threadIdx.x] = row < M && a_col < K ? a[row * K + a_col] : 0.0f;
    b_tile[threadIdx.y][threadIdx.x] = b_row < K && col < N ? b[b_row * N + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < T; k++) sum += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
    __syncthreads();
  }
  if (row < M && col < N) c[row * N + col] += sum;
}

extern "C" int matmul(const float* a, const float* b, float* c, int M, int N, int K,
                      cudaStream_t stream) {
  if (M == 0 || N == 0) return cudaSuccess;
  dim3 block(T, T);
  dim3 grid((N + T - 1) / T, (M + T - 1) / T);
  matmul_kernel<<<grid, block, 0, stream>>>(a, b, c, M, N, K);
  return cudaGetLastError();
}
