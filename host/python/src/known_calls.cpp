// known_calls.cpp - the calls of one JITFunction that Triton has compiled.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "known_calls.h"
#include "launcher.h"

#include <algorithm>

namespace nereid::python {

/// The limit of known calls of one function. Further ones go to Triton.
static constexpr size_t kMostCalls = 256;

static PyObject *deviceCachesName, *runName, *functionName, *directName;

bool makeCallNames() {
  deviceCachesName = PyUnicode_InternFromString("device_caches");
  runName = PyUnicode_InternFromString("run");
  functionName = PyUnicode_InternFromString("function");
  directName = PyUnicode_InternFromString("direct");
  return deviceCachesName && runName && functionName && directName;
}

KnownCalls::KnownCalls(PyObject *parameters) {
  if (!PyTuple_Check(parameters))
    return;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(parameters); ++i) {
    PyObject *name, *otherwise = nullptr;
    int isConstant;
    if (!PyArg_ParseTuple(PyTuple_GET_ITEM(parameters, i), "Up|O", &name,
                          &isConstant, &otherwise)) {
      PyErr_Clear();
      return;
    }
    described.push_back({Ref::borrow(name), Ref::borrow(otherwise),
                         static_cast<bool>(isConstant)});
  }
  isReadable = true;
}

Py_ssize_t KnownCalls::indexOf(PyObject *name) const {
  for (size_t i = 0; i < described.size(); ++i)
    if (described[i].name.get() == name)
      return static_cast<Py_ssize_t>(i);
  return -1;
}

bool KnownCalls::read(Call &call, const TensorTypes &types) const {
  size_t parameters = described.size();
  if (!isReadable || static_cast<size_t>(call.count) > parameters)
    return false;
  call.arguments.resize(parameters);
  auto read = [&](size_t i, PyObject *object) {
    call.arguments[i] = described[i].isConstant
                            ? constantOf(object)
                            : classify(object, types, call.number);
    return call.arguments[i].kind != Argument::Unknown;
  };
  for (Py_ssize_t i = 0; i < call.count; ++i)
    if (!read(static_cast<size_t>(i), call.args[i]))
      return false;
  Py_ssize_t named = call.names ? PyTuple_GET_SIZE(call.names) : 0;
  for (Py_ssize_t i = 0; i < named; ++i) {
    PyObject *name = PyTuple_GET_ITEM(call.names, i);
    PyObject *object = call.args[call.count + i];
    Py_ssize_t index = indexOf(name);
    if (index < 0)
      call.options.emplace_back(name, constantOf(object));
    else if (call.arguments[static_cast<size_t>(index)].object ||
             !read(static_cast<size_t>(index), object))
      return false; // passed twice, or of an unknown kind
  }
  for (size_t i = static_cast<size_t>(call.count); i < parameters; ++i)
    if (!call.arguments[i].object) {
      PyObject *otherwise = described[i].otherwise.get();
      if (!otherwise || !read(i, otherwise))
        return false;
    }
  for (const Argument &argument : call.arguments)
    call.hash = (call.hash ^ hashOf(argument)) * 0x100000001b3;
  for (const auto &[name, value] : call.options)
    call.hash = (call.hash ^ hashOf(value)) * 0x100000001b3;
  return true;
}

static bool isAlike(const KnownCall &known, const Call &call) {
  if (known.hash != call.hash || known.device.get() != call.device ||
      known.options.size() != call.options.size())
    return false;
  for (size_t i = 0; i < call.arguments.size(); ++i)
    if (!isAlike(known.arguments[i], call.arguments[i]))
      return false;
  for (size_t i = 0; i < call.options.size(); ++i)
    if (known.options[i].first.get() != call.options[i].first ||
        !isAlike(known.options[i].second, call.options[i].second))
      return false;
  return true;
}

/// Triton's compiled kernels of this function on the device; null for none.
/// Borrowed from \p function.
static PyObject *cacheOf(PyObject *function, PyObject *device) {
  Ref all(PyObject_GetAttr(function, deviceCachesName));
  PyObject *caches = all && PyDict_Check(all.get())
                         ? PyDict_GetItemWithError(all.get(), device)
                         : nullptr;
  PyErr_Clear();
  if (!caches || !PyTuple_Check(caches) || PyTuple_GET_SIZE(caches) < 1)
    return nullptr;
  PyObject *cache = PyTuple_GET_ITEM(caches, 0);
  return PyDict_Check(cache) ? cache : nullptr;
}

/// Whether \p weak refers to \p object. Comparing addresses is not enough: the
/// address of a freed object may be used again.
static bool refersTo(PyObject *weak, PyObject *object) {
#if PY_VERSION_HEX >= 0x030D0000
  PyObject *alive = nullptr;
  (void)PyWeakref_GetRef(weak, &alive);
  return Ref(alive).get() == object;
#else
  return PyWeakref_GetObject(weak) == object;
#endif
}

const KnownCall *KnownCalls::find(const Call &call, Ref &compiled) const {
  for (const KnownCall &known : calls)
    if (isAlike(known, call)) {
      PyObject *cache = cacheOf(call.function, call.device);
      compiled = Ref::borrow(
          cache ? PyDict_GetItemWithError(cache, known.key.get()) : nullptr);
      bool isThere = compiled && refersTo(known.compiled.get(), compiled.get());
      return isThere ? &known : nullptr;
    }
  return nullptr;
}

/// The key of \p compiled in \p cache; null if it is not there.
static PyObject *keyOf(PyObject *cache, PyObject *compiled) {
  Py_ssize_t at = 0;
  PyObject *key, *value;
  while (PyDict_Next(cache, &at, &key, &value))
    if (value == compiled)
      return key;
  return nullptr;
}

static void own(KnownCall &known, Argument &argument) {
  if (argument.kind == Argument::Constant)
    known.owned.push_back(Ref::borrow(argument.identity));
  argument.object = nullptr;
}

/// Triton's launcher as a native one; the launcher of a device with memory of
/// its own has that in `direct`, for tensors that are there.
static Ref nativeLauncher(Ref launcher) {
  Ref direct(PyObject_GetAttr(launcher.get(), directName));
  if (direct)
    return direct;
  PyErr_Clear(); // Python is called again
  return launcher;
}

void KnownCalls::learn(const Call &call, PyObject *compiled) {
  KnownCall known;
  PyObject *cache = cacheOf(call.function, call.device);
  PyObject *key = cache ? keyOf(cache, compiled) : nullptr;
  Ref launcher(key ? PyObject_GetAttr(compiled, runName) : nullptr);
  if (launcher)
    launcher = nativeLauncher(std::move(launcher));
  Ref function(launcher ? PyObject_GetAttr(compiled, functionName) : nullptr);
  Ref weak(function ? PyWeakref_NewRef(compiled, nullptr) : nullptr);
  PyErr_Clear();
  if (!weak || !Py_IS_TYPE(function.get(), kernelType))
    return;
  auto *loaded = reinterpret_cast<KernelObject *>(function.get());
  if (!isPlainLauncher(launcher.get(), loaded, known.reaches) ||
      known.reaches.size() != described.size())
    return;
  known.hash = call.hash;
  known.device = Ref::borrow(call.device);
  known.arguments = call.arguments;
  for (Argument &argument : known.arguments)
    own(known, argument);
  for (const auto &[name, value] : call.options) {
    known.options.emplace_back(Ref::borrow(name), value);
    own(known, known.options.back().second);
  }
  known.key = Ref::borrow(key);
  known.compiled = std::move(weak);
  known.loaded = std::move(function);
  known.launcher = std::move(launcher);
  std::erase_if(calls,
                [&](const KnownCall &old) { return isAlike(old, call); });
  if (calls.size() < kMostCalls)
    calls.push_back(std::move(known));
}

} // namespace nereid::python
