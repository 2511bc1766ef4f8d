// object.h - owning references, and Nereid's texts and errors in Python.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PYTHON_OBJECT_H
#define NEREID_PYTHON_OBJECT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "nereid/host/expected.hpp"

#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace nereid::python {

/// Owns one reference; null after a Python call that failed.
class Ref {
public:
  Ref() = default;
  explicit Ref(PyObject *owned) : object(owned) {}
  Ref(Ref &&other) noexcept : object(std::exchange(other.object, nullptr)) {}
  Ref &operator=(Ref &&other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  ~Ref() { Py_XDECREF(object); }

  static Ref borrow(PyObject *borrowed) {
    Py_XINCREF(borrowed);
    return Ref(borrowed);
  }
  PyObject *get() const { return object; }
  PyObject *release() { return std::exchange(object, nullptr); }
  explicit operator bool() const { return object != nullptr; }

private:
  PyObject *object = nullptr;
};

/// Releases the GIL for the lifetime of this object.
class WithoutGil {
public:
  WithoutGil() : state(PyEval_SaveThread()) {}
  ~WithoutGil() { PyEval_RestoreThread(state); }
  WithoutGil(const WithoutGil &) = delete;
  WithoutGil &operator=(const WithoutGil &) = delete;

private:
  PyThreadState *state;
};

using detail::borrow;
using detail::view;

template <auto function> struct Guarded;
template <typename... Args, PyObject *(*function)(Args...)>
struct Guarded<function> {
  static PyObject *call(Args... args) noexcept {
    try {
      return function(args...);
    } catch (const std::bad_alloc &) {
      return PyErr_NoMemory();
    } catch (const std::exception &error) {
      PyErr_SetString(PyExc_SystemError, error.what());
      return nullptr;
    }
  }
};

/// Calls \p function and converts C++ exceptions, which must not cross the
/// interpreter, to Python exceptions: std::bad_alloc becomes MemoryError.
template <auto function>
inline constexpr auto guarded = &Guarded<function>::call;

/// Casts \p function, of any calling convention, for a method table.
template <typename Function> PyCFunction method(Function *function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

/// A str; bytes that are not UTF-8 are escaped.
PyObject *toStr(std::string_view from);
inline PyObject *toStr(nereid_string_t from) { return toStr(view(from)); }

/// The bytes of a str, as UTF-8, or of a bytes object; false with an error set
/// for any other object. They are valid as long as \p object.
bool readBytes(PyObject *object, std::string_view &out);

/// Raises nereid.Error with the text of this thread's last error.
PyObject *raise(nereid_status_t status);
/// Raises nereid.Error with \p reason.
PyObject *raise(nereid_status_t status, std::string_view reason);

/// The text of \p buffer as a str; destroys the buffer. Raises on failure.
PyObject *takeText(nereid_status_t status, nereid_buffer_t *buffer);
/// The same as a bytes object.
PyObject *takeBytes(nereid_status_t status, nereid_buffer_t *buffer);

/// nereid.Error, created with the module.
extern PyObject *errorType;
bool addErrorType(PyObject *module);

} // namespace nereid::python

#endif // NEREID_PYTHON_OBJECT_H
