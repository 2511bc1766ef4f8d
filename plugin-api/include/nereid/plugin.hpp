// nereid/plugin.hpp - optional C++17 glue for plugins: binds member functions
// to slots, and catches all exceptions.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
//   class Acme {
//   public:
//     explicit Acme(const nereid_host_t &host);
//     nereid_status_t scoreTarget(const nereid_target_t *target,
//                                 int32_t *outScore,
//                                 const nereid_call_t *call) const;
//   };
//   const nereid_compiler_t compiler = [] {
//     nereid_compiler_t table = {};
//     table.struct_size = sizeof(table);
//     table.score_target = nereid::plugin::slot<&Acme::scoreTarget>;
//     return table;
//   }();
//
// A member function has the result and the parameters of its slot without the
// handle. It may throw: an Error keeps its status, anything else becomes
// NEREID_INTERNAL, and what() is reported. Nothing here is part of the binary
// interface.

#ifndef NEREID_PLUGIN_HPP
#define NEREID_PLUGIN_HPP

#include "plugin.h"

#ifndef __cpp_exceptions
#error "nereid/plugin.hpp needs C++ exceptions; without, use nereid/plugin.h"
#else

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace nereid::plugin {

/// A failure with the status to return; NEREID_OK is not a failure and becomes
/// NEREID_INTERNAL.
class Error : public std::runtime_error {
public:
  Error(nereid_status_t status, const std::string &message)
      : std::runtime_error(message),
        code(status == NEREID_OK ? NEREID_INTERNAL : status) {}
  nereid_status_t status() const noexcept { return code; }

private:
  nereid_status_t code;
};

inline nereid_string_t borrow(std::string_view text) noexcept {
  return {text.data(), text.size()};
}
inline std::string_view view(nereid_string_t text) noexcept {
  return text.size ? std::string_view(text.data, text.size)
                   : std::string_view();
}

/// Reports an error of the source at \p line and \p column, if known.
inline void report(const nereid_call_t *call, std::string_view message,
                   uint32_t line = 0, uint32_t column = 0) noexcept {
  if (!call)
    return;
  nereid_diagnostic_t diagnostic = {};
  diagnostic.struct_size = sizeof(diagnostic);
  diagnostic.severity = NEREID_SEVERITY_ERROR;
  diagnostic.message = borrow(message);
  diagnostic.line = line;
  diagnostic.column = column;
  call->report(call, &diagnostic);
}

/// Appends \p bytes to \p writer; throws if the writer fails.
inline void write(const nereid_writer_t *writer, std::string_view bytes) {
  nereid_status_t status = writer->write(writer, bytes.data(), bytes.size());
  if (status != NEREID_OK)
    throw Error(status, "cannot write the result");
}

/// Runs \p body; what it throws is reported to \p call and becomes a status.
template <typename Body>
nereid_status_t guard(const nereid_call_t *call, Body &&body) noexcept {
  try {
    return body();
  } catch (const Error &error) {
    report(call, error.what());
    return error.status();
  } catch (const std::bad_alloc &) {
    report(call, "out of memory");
    return NEREID_OUT_OF_RESOURCES;
  } catch (const std::exception &error) {
    report(call, error.what());
    return NEREID_INTERNAL;
  } catch (...) {
    report(call, "an exception of unknown type");
    return NEREID_INTERNAL;
  }
}

/// The C functions for member functions of type \p Method.
template <typename Method> struct Bind;

template <typename Class, typename Result, typename... Args>
struct Bind<Result (Class::*)(Args...)> {
  template <auto Method, typename Handle>
  static Result call(Handle *handle, Args... args) {
    auto *object = reinterpret_cast<Class *>(handle);
    static_assert(std::is_same_v<Result, nereid_status_t>,
                  "a slot returns a status");
    const nereid_call_t *call =
        std::get<sizeof...(Args) - 1>(std::tie(args...));
    return guard(call, [&] { return (object->*Method)(args...); });
  }
};

template <typename Class, typename Result, typename... Args>
struct Bind<Result (Class::*)(Args...) const>
    : Bind<Result (Class::*)(Args...)> {};
template <typename Class, typename Result, typename... Args>
struct Bind<Result (Class::*)(Args...) noexcept>
    : Bind<Result (Class::*)(Args...)> {};
template <typename Class, typename Result, typename... Args>
struct Bind<Result (Class::*)(Args...) const noexcept>
    : Bind<Result (Class::*)(Args...)> {};

/// The C function for \p Method of the object that a \p Handle points to: the
/// plugin's state, or a nereid_kernel_t for `launch`.
template <auto Method, typename Handle = nereid_state_t>
inline constexpr auto slot =
    &Bind<decltype(Method)>::template call<Method, Handle>;

/// nereid_plugin_t.create and .shutdown for a state of type \p State, which is
/// constructed from the host.
template <typename State>
nereid_status_t create(const nereid_host_t *host, nereid_state_t **outState,
                       const nereid_call_t *call) {
  return guard(call, [&]() -> nereid_status_t {
    *outState = reinterpret_cast<nereid_state_t *>(new State(*host));
    return NEREID_OK;
  });
}
template <typename State>
nereid_status_t shutdown(nereid_state_t *state, const nereid_call_t *call) {
  return guard(call, [&]() -> nereid_status_t {
    delete reinterpret_cast<State *>(state);
    return NEREID_OK;
  });
}

} // namespace nereid::plugin

#endif // __cpp_exceptions
#endif // NEREID_PLUGIN_HPP
