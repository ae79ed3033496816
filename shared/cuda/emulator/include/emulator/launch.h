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
                    config.dynamic_shared, config.stream, body, &pack, sizeof pack});
}

template <class Variable>
Variable& shared(const void* key, const char* name) {
  constexpr Shape shape = {
      sizeof(std::remove_all_extents_t<Variable>),
      {std::extent_v<Variable, 0>, std::extent_v<Variable, 1>, std::extent_v<Variable, 2>}};
  return *static_cast<Variable*>(shared_variable(key, sizeof(Variable), name, shape));
}

template <class Array>
Array& dynamic_shared(const char* name) {
  size_t item_bytes = sizeof(std::remove_all_extents_t<Array>);
  return *static_cast<Array*>(dynamic_shared_memory(name, item_bytes));
}

}  // namespace cuda_emulator
