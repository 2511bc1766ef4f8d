// nereid/host/expected.hpp - results that may be failures, and owners of
// handles.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_EXPECTED_HPP
#define NEREID_HOST_EXPECTED_HPP

#include "nereid/host.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace nereid {

/// Why a call failed: a code for the program, lines of text for a person.
struct Error {
  nereid_status_t status = NEREID_INTERNAL;
  std::string text;
};

/// A value, or the reason for its absence.
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T result) : value(std::move(result)) {}
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
  explicit Owner(Handle *owned) : handle(owned) {}
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

} // namespace nereid

#endif // NEREID_HOST_EXPECTED_HPP
