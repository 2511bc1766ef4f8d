// nereid/host.hpp - libnereid for C++ programs: nereid/host.h with owners and
// without out parameters.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Header-only, C++17, and it throws nothing of its own: what can fail returns
// an Expected<T>, which holds the value or the reason. The C handle of every
// object is at hand (get()) for what is not wrapped here.
//
//   nereid::Expected<nereid::Runtime> runtime = nereid::Runtime::create();
//   if (!runtime)
//     return complain(runtime.error());

#ifndef NEREID_HOST_HPP
#define NEREID_HOST_HPP

#include "nereid/host.h"

#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nereid {

/// Why a call failed: a code for the program, lines of text for a person.
struct Error {
  nereid_status_t status = NEREID_INTERNAL;
  std::string text;
};

/// A value, or the reason why there is none.
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : value(std::move(value)) {}
  Expected(Error error) : reason(std::move(error)) {}

  explicit operator bool() const { return value.has_value(); }
  T &operator*() { return *value; }
  const T &operator*() const { return *value; }
  T *operator->() { return &*value; }
  const T *operator->() const { return &*value; }
  const Error &error() const { return reason; }

private:
  std::optional<T> value;
  Error reason;
};

/// Success, or the reason why not.
template <> class [[nodiscard]] Expected<void> {
public:
  Expected() = default;
  Expected(Error error) : reason(std::move(error)) {}

  explicit operator bool() const { return !reason; }
  const Error &error() const { return *reason; }

private:
  std::optional<Error> reason;
};

namespace detail {

inline nereid_string_t borrow(std::string_view text) {
  return {text.data(), text.size()};
}
inline std::string_view view(nereid_string_t text) {
  return text.size ? std::string_view(text.data, text.size)
                   : std::string_view();
}

/// The calling thread's last failure.
inline Error lastError(nereid_status_t status) {
  return {status, std::string(view(nereid_error()))};
}
inline Expected<void> check(nereid_status_t status) {
  if (status != NEREID_OK)
    return lastError(status);
  return {};
}

/// Copies a buffer and destroys it.
inline Expected<std::string> take(nereid_status_t status,
                                  nereid_buffer_t *buffer) {
  if (status != NEREID_OK)
    return lastError(status);
  nereid_bytes_t bytes = nereid_buffer_bytes(buffer);
  std::string text(static_cast<const char *>(bytes.data), bytes.size);
  nereid_buffer_destroy(buffer);
  return text;
}

/// A struct that the library fills, zero but for its size.
template <typename Struct> Struct sized() {
  Struct value = {};
  value.struct_size = sizeof value;
  return value;
}

/// Owns a handle of the C interface.
template <typename Handle, void (*destroy)(Handle *)> class Owner {
public:
  Owner() = default;
  explicit Owner(Handle *handle) : handle(handle) {}
  Owner(Owner &&other) noexcept
      : handle(std::exchange(other.handle, nullptr)) {}
  Owner &operator=(Owner &&other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  ~Owner() { destroy(handle); }
  Handle *get() const { return handle; }

private:
  Handle *handle = nullptr;
};

} // namespace detail

/// Memory of a device, freed with its owner.
class Memory {
public:
  Memory(nereid_backend_t *backend, uint32_t device, nereid_address_t address,
         uint64_t size)
      : backend(backend), device(device), start(address), bytes(size) {}
  Memory(Memory &&other) noexcept
      : backend(other.backend), device(other.device),
        start(std::exchange(other.start, 0)),
        bytes(std::exchange(other.bytes, 0)) {}
  Memory &operator=(Memory &&other) noexcept {
    std::swap(backend, other.backend);
    std::swap(device, other.device);
    std::swap(start, other.start);
    std::swap(bytes, other.bytes);
    return *this;
  }
  ~Memory() { nereid_backend_free(backend, device, start); }

  /// What a kernel's pointer argument holds.
  nereid_address_t address() const { return start; }
  uint64_t size() const { return bytes; }

  /// Copies the whole memory from or to the host, and waits for it.
  Expected<void> write(const void *source) {
    return copy(NEREID_COPY_HOST_TO_DEVICE, start,
                reinterpret_cast<uintptr_t>(source));
  }
  Expected<void> read(void *destination) const {
    return copy(NEREID_COPY_DEVICE_TO_HOST,
                reinterpret_cast<uintptr_t>(destination), start);
  }

private:
  Expected<void> copy(nereid_copy_t direction, nereid_address_t destination,
                      nereid_address_t source) const {
    nereid_status_t status = nereid_backend_copy(
        backend, device, 0, direction, destination, source, bytes);
    if (status == NEREID_OK)
      status = nereid_backend_synchronize(backend, device, 0);
    return detail::check(status);
  }

  nereid_backend_t *backend;
  uint32_t device;
  nereid_address_t start;
  uint64_t bytes;
};

/// A kernel that is ready to launch.
class Function {
public:
  struct Argument {
    std::string name, type;
    uint32_t offset, size;
  };
  struct Grid {
    uint32_t x = 1, y = 1, z = 1;
  };

  explicit Function(nereid_function_t *handle) : owner(handle) {
    auto info = detail::sized<nereid_function_info_t>();
    (void)nereid_function_info(handle, &info);
    blockSize = info.arguments_size;
    for (uint32_t i = 0; i < info.argument_count; ++i) {
      auto argument = detail::sized<nereid_argument_t>();
      (void)nereid_function_argument(handle, i, &argument);
      layout.push_back({std::string(detail::view(argument.name)),
                        std::string(detail::view(argument.type)),
                        argument.offset, argument.size});
    }
  }

  nereid_function_t *get() const { return owner.get(); }
  const std::vector<Argument> &arguments() const { return layout; }

  /// Launches with one value per argument: an address for a pointer, else a
  /// number of exactly the argument's size.
  template <typename... Values>
  Expected<void> launch(Grid grid, nereid_stream_t stream,
                        const Values &...values) const {
    std::vector<char> block(blockSize);
    if (sizeof...(values) != layout.size())
      return Error{NEREID_INVALID_ARGUMENT,
                   "error: " + std::to_string(sizeof...(values)) +
                       " arguments given, the kernel has " +
                       std::to_string(layout.size())};
    size_t index = 0;
    std::string problem;
    (pack(block, index++, &values, sizeof values, problem), ...);
    if (!problem.empty())
      return Error{NEREID_INVALID_ARGUMENT, problem};
    return launchPacked(grid, stream, block.data(), block.size());
  }

  /// Launches with a block that the caller has packed; allocates nothing.
  Expected<void> launchPacked(Grid grid, nereid_stream_t stream,
                              const void *block, uint64_t size) const {
    return detail::check(nereid_function_launch(get(), grid.x, grid.y, grid.z,
                                                stream, block, size));
  }

private:
  void pack(std::vector<char> &block, size_t index, const void *value,
            size_t size, std::string &problem) const {
    const Argument &argument = layout[index];
    if (size == argument.size)
      std::memcpy(block.data() + argument.offset, value, size);
    else if (problem.empty())
      problem = "error: argument '" + argument.name + "' of type '" +
                argument.type + "' takes " + std::to_string(argument.size) +
                " bytes, " + std::to_string(size) + " were given";
  }

  detail::Owner<nereid_function_t, nereid_function_destroy> owner;
  std::vector<Argument> layout;
  uint64_t blockSize = 0;
};

/// The result of a compilation.
class Compiled {
public:
  explicit Compiled(nereid_compiled_t *handle) : owner(handle) {}
  nereid_compiled_t *get() const { return owner.get(); }

  /// Views into this object.
  nereid_compiled_info_t info() const {
    auto info = detail::sized<nereid_compiled_info_t>();
    (void)nereid_compiled_info(get(), &info);
    return info;
  }
  /// All facts as JSON.
  Expected<std::string> describe() const {
    nereid_buffer_t *buffer = nullptr;
    nereid_status_t status = nereid_compiled_describe(get(), &buffer);
    return detail::take(status, buffer);
  }

private:
  detail::Owner<nereid_compiled_t, nereid_compiled_destroy> owner;
};

/// One loaded plugin. A view: it lives as long as its runtime.
class Backend {
public:
  explicit Backend(nereid_backend_t *handle) : handle(handle) {}
  nereid_backend_t *get() const { return handle; }

  nereid_backend_info_t info() const {
    auto info = detail::sized<nereid_backend_info_t>();
    (void)nereid_backend_info(handle, &info);
    return info;
  }
  /// Facts about a device as a JSON object.
  Expected<std::string> properties(uint32_t device = 0) const {
    nereid_buffer_t *buffer = nullptr;
    nereid_status_t status =
        nereid_backend_properties(handle, device, &buffer);
    return detail::take(status, buffer);
  }

  Expected<Compiled> compile(nereid_compile_request_t request) const {
    request.struct_size = sizeof request;
    nereid_compiled_t *compiled = nullptr;
    nereid_status_t status = nereid_compile(handle, &request, &compiled);
    if (status != NEREID_OK)
      return detail::lastError(status);
    return Compiled(compiled);
  }
  /// Compiles `source` with default options for `device`.
  Expected<Compiled> compile(std::string_view source, std::string_view name,
                             uint32_t device = 0) const {
    nereid_compile_request_t request = {};
    request.source = {source.data(), source.size()};
    request.source_name = detail::borrow(name);
    request.device = device;
    return compile(request);
  }

  Expected<Function> load(const Compiled &compiled,
                          uint32_t device = 0) const {
    nereid_function_t *function = nullptr;
    nereid_status_t status =
        nereid_function_load(handle, device, compiled.get(), &function);
    if (status != NEREID_OK)
      return detail::lastError(status);
    return Function(function);
  }

  Expected<Memory> allocate(uint64_t size, uint32_t device = 0) const {
    nereid_address_t address = 0;
    nereid_status_t status =
        nereid_backend_allocate(handle, device, size, &address);
    if (status != NEREID_OK)
      return detail::lastError(status);
    return Memory(handle, device, address, size);
  }
  Expected<void> synchronize(uint32_t device = 0,
                             nereid_stream_t stream = 0) const {
    return detail::check(nereid_backend_synchronize(handle, device, stream));
  }

private:
  nereid_backend_t *handle;
};

/// Plugins, cache and settings. Outlives everything made from it.
class Runtime {
public:
  /// A backend and one of its devices.
  struct Choice {
    Backend backend;
    uint32_t device;
  };

  static Expected<Runtime>
  create(const nereid_runtime_options_t *options = nullptr) {
    nereid_runtime_t *runtime = nullptr;
    nereid_status_t status = nereid_runtime_create(options, &runtime);
    if (status != NEREID_OK)
      return detail::lastError(status);
    return Runtime(runtime);
  }
  nereid_runtime_t *get() const { return owner.get(); }

  /// The load report as JSON.
  Expected<std::string> report() const {
    nereid_buffer_t *buffer = nullptr;
    nereid_status_t status = nereid_runtime_report(get(), &buffer);
    return detail::take(status, buffer);
  }
  /// What `name` means: "cpu", "vulkan:1", or empty for the best.
  Expected<Choice> choose(std::string_view name = {}) const {
    nereid_backend_t *backend = nullptr;
    uint32_t device = 0;
    nereid_status_t status = nereid_runtime_choose(
        get(), detail::borrow(name), &backend, &device);
    if (status != NEREID_OK)
      return detail::lastError(status);
    return Choice{Backend(backend), device};
  }
  Expected<Backend> load(std::string_view path) const {
    nereid_backend_t *backend = nullptr;
    nereid_status_t status =
        nereid_runtime_load(get(), detail::borrow(path), &backend);
    if (status != NEREID_OK)
      return detail::lastError(status);
    return Backend(backend);
  }
  std::vector<Backend> backends() const {
    std::vector<Backend> all;
    uint64_t count = nereid_runtime_backend_count(get());
    for (uint64_t i = 0; i < count; ++i)
      if (nereid_backend_t *backend = nereid_runtime_backend_at(get(), i))
        all.emplace_back(backend);
    return all;
  }

private:
  explicit Runtime(nereid_runtime_t *handle) : owner(handle) {}
  detail::Owner<nereid_runtime_t, nereid_runtime_destroy> owner;
};

} // namespace nereid

#endif // NEREID_HOST_HPP
