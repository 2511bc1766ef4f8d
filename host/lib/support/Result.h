// Result.h - how libnereid's own functions fail: a status for a program and a
// text for a person.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_SUPPORT_RESULT_H
#define NEREID_HOST_SUPPORT_RESULT_H

#include "nereid/base.h"

#include <cassert>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace nereid::host {

/// Why something failed. `text` is one line a message, in the words of
/// docs/messages.md, without the leading "error: ".
struct Failure {
  nereid_status_t status = NEREID_INTERNAL;
  std::string text;
};

/// A value or the reason why there is none.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : storage(std::move(value)) {}
  Result(Failure failure) : storage(std::move(failure)) {}

  explicit operator bool() const { return storage.index() == 0; }
  T &operator*() {
    assert(*this && "no value in a failed result");
    return std::get<0>(storage);
  }
  const T &operator*() const {
    assert(*this && "no value in a failed result");
    return std::get<0>(storage);
  }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }
  const Failure &failure() const { return std::get<1>(storage); }

private:
  std::variant<T, Failure> storage;
};

/// Success, or the reason why not.
class [[nodiscard]] Outcome {
public:
  Outcome() = default;
  Outcome(Failure failure) : reason(std::move(failure)) {
    assert(reason.status != NEREID_OK && "a failure needs a failing status");
  }

  explicit operator bool() const { return reason.status == NEREID_OK; }
  const Failure &failure() const { return reason; }

private:
  Failure reason{NEREID_OK, {}};
};

/// Text without data is empty, whatever its size says.
inline std::string_view view(nereid_string_t text) {
  return text.data ? std::string_view(text.data, text.size)
                   : std::string_view();
}
inline nereid_string_t borrow(std::string_view text) {
  return {text.data(), text.size()};
}

} // namespace nereid::host

#endif // NEREID_HOST_SUPPORT_RESULT_H
