// Right, and neighbours read neighbours, but every number comes from global memory for each element of C.
//
// Loses: tiles are shared

__global__ void matmul_kernel(const float* a, const float* b, float* c, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) sum += a[size_t(row) * K + k] * b[size_t(k) * N + col];
    c[size_t(row) * N + col] = sum;
}

extern "C" int matmul(const float* a, const float* b, float* c, int M, int N, int K, cudaStream_t stream) {
    if (M == 0 || N == 0) return cudaSuccess;
    dim3 block(32, 8), grid((N + 31) / 32, (M + 7) / 8);
    matmul_kernel<<<grid, block, 0, stream>>>(a, b, c, M, N, K);
    return cudaGetLastError();
}
