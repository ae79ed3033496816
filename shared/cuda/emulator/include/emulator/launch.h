// What the rewritten text calls in place of `<<< >>>` and `__shared__`.
#pragma once
#include <tuple>
#include <type_traits>

#include "emulator/interface.h"
#include "emulator/runtime_api.h"

namespace cuda_emulator {

struct Config {
  dim3 grid;
  dim3 block;
  size_t dynamic_shared;
  cudaStream_t stream;
  Config(dim3 grid, dim3 block, size_t dynamic_shared = 0, cudaStream_t stream = nullptr)
      : grid(grid), block(block), dynamic_shared(dynamic_shared), stream(stream) {}
};

struct Kernel {
  const char* name;
  const void* address;
  Kernel(const char* name) : name(name), address(nullptr) {}
  template <class Function>
  Kernel(const char* name, Function* function)
      : name(name), address(reinterpret_cast<const void*>(function)) {}
  template <class Other>
  Kernel(const char* name, const Other&) : name(name), address(nullptr) {}
};

// Copies the arguments once, as a launch does, and hands every thread its own copy by value.
template <class Call, class... Arguments>
void launch(Config config, Kernel kernel, Call call, Arguments&&... arguments) {
  auto pack = std::make_tuple(call, std::decay_t<Arguments>(arguments)...);
  using Pack = decltype(pack);
  auto body = [](void* data) {
    std::apply([](auto& call, auto&... values) { call(values...); }, *static_cast<Pack*>(data));
  };
  run(LaunchRequest{kernel.name, kernel.address, config.grid, config.block,
                    config.dynamic_shared, config.stream, body, &pack});
}

template <class Variable>
Variable& shared(const void* key, const char* name) {
  return *static_cast<Variable*>(shared_variable(key, sizeof(Variable), name));
}

template <class Array>
Array& dynamic_shared() {
  return *static_cast<Array*>(dynamic_shared_memory());
}

}  // namespace cuda_emulator
