// operator_call.cpp - calls operators with the tensors of Python libraries.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// What concerns torch or numpy alone is decided by the methods of `hooks`, an
// object of nereid/ops/_calling.py: a call that was made before asks none of
// them.

#include "operator_call.h"

#include "tensors.h"

#include <structmember.h>

#include <map>
#include <memory>

namespace nereid::python {

PyTypeObject *opsDeviceType = nullptr;
static PyTypeObject *operatorType = nullptr;

namespace {
struct Input {
  std::string name;
  bool isOptional, isList;
};

struct Attribute {
  std::string name, type;
  bool isNullable;
};

/// The operator on one device.
struct OnDevice {
  int32_t type, number; // DLPack's
  nereid_operator_t *op;
  OpsDeviceObject *device;
  std::map<void *, nereid_stream_t> streams; // imported, by the library's
};

struct Operator {
  std::string name;
  std::vector<Input> inputs;
  std::vector<Attribute> attributes;
  std::vector<std::string> outputs;
  Ref hooks, classify;
  std::vector<std::unique_ptr<OnDevice>> devices;
};

struct OperatorObject {
  PyObject_HEAD vectorcallfunc call;
  Operator *op;
};

struct Names {
  PyObject *requiresGrad, *isNegative, *dispatch, *findDevice, *allocate, *copy,
      *importStream;
};

/// Functions of torch: whether a call has to go through its dispatcher, and
/// that tensors were written to, for autograd.
struct TorchState {
  PyObject *isGradEnabled, *countModes, *findTransform, *incrementVersion;
};
} // namespace

static Names names;
static TorchState torchState;

static Operator &operatorOf(PyObject *object) {
  return *reinterpret_cast<OperatorObject *>(object)->op;
}

/// The structs of one call. Their memory is kept for the thread's next call.
struct Call {
  struct Read {
    PyObject *object;
    const TensorClass *from;
    dlpack::Tensor tensor;
  };
  std::vector<Read> tensors; // inputs, then outputs that are given
  std::vector<const nereid_tensor_t *> pointers;
  std::vector<nereid_tensor_argument_t> inputs, outputs;
  std::vector<nereid_value_t> attributes;
  std::vector<std::vector<int64_t>> lists;
  std::vector<Ref> kept;
  std::vector<PyObject *> given;   // by output; borrowed
  std::vector<Ref> made;           // by output
  std::vector<bool> isOverlapping; // by output: computed aside, then copied
  size_t inputCount = 0;

  void clear(const Operator &op) {
    tensors.clear();
    pointers.clear();
    inputs.clear();
    outputs.clear();
    attributes.clear();
    lists.clear();
    kept.clear();
    given.assign(op.outputs.size(), nullptr);
    made.clear();
    made.resize(op.outputs.size());
    isOverlapping.assign(op.outputs.size(), false);
    inputCount = 0;
  }
};

// ---- arguments

static bool failType(const Operator &op, const std::string &name,
                     PyObject *found, const char *expected) {
  if (found == Py_None)
    PyErr_Format(PyExc_TypeError, "%s: %s is None, expected %s",
                 op.name.c_str(), name.c_str(), expected);
  else
    PyErr_Format(PyExc_TypeError, "%s: %s is a %s, expected %s",
                 op.name.c_str(), name.c_str(), Py_TYPE(found)->tp_name,
                 expected);
  return false;
}

static bool addClass(Operator &op, Call &call, const std::string &name,
                     PyObject *object) {
  if (object == Py_None)
    return failType(op, name, object, "a tensor");
  const TensorClass *from =
      classOf(object, op.classify.get(), op.name.c_str(), name.c_str());
  if (from)
    call.tensors.push_back({object, from, {}});
  return from;
}

/// Notes the tensors of the inputs and of `out`, without reading them.
static bool noteTensors(Operator &op, Call &call, PyObject *const *args) {
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const Input &input = op.inputs[i];
    if (args[i] == Py_None && input.isOptional)
      continue;
    nereid_tensor_argument_t argument = {};
    argument.struct_size = sizeof argument;
    argument.name = borrow(input.name);
    argument.count = 1;
    if (!input.isList) {
      if (!addClass(op, call, input.name, args[i]))
        return false;
    } else {
      Ref items(PySequence_Fast(args[i], ""));
      if (!items) {
        PyErr_Clear();
        return failType(op, input.name, args[i], "a list of tensors");
      }
      Py_ssize_t count = PySequence_Fast_GET_SIZE(items.get());
      argument.count = static_cast<uint32_t>(count);
      for (Py_ssize_t k = 0; k < count; ++k)
        if (!addClass(op, call, input.name,
                      PySequence_Fast_GET_ITEM(items.get(), k)))
          return false;
      call.kept.push_back(std::move(items));
    }
    call.inputs.push_back(argument);
  }
  call.inputCount = call.tensors.size();

  PyObject *out = args[op.inputs.size() + op.attributes.size()];
  if (out == Py_None)
    return true;
  if (op.outputs.size() == 1 && !PyTuple_Check(out) && !PyList_Check(out)) {
    call.given[0] = out;
  } else {
    if ((!PyTuple_Check(out) && !PyList_Check(out)) ||
        PySequence_Fast_GET_SIZE(out) != Py_ssize_t(op.outputs.size())) {
      PyErr_Format(PyExc_TypeError,
                   "%s: out is not a tuple of %zu tensors, one for each output",
                   op.name.c_str(), op.outputs.size());
      return false;
    }
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      PyObject *each = PySequence_Fast_GET_ITEM(out, Py_ssize_t(i));
      call.given[i] = each == Py_None ? nullptr : each;
    }
  }
  for (size_t i = 0; i < op.outputs.size(); ++i)
    if (call.given[i] && !addClass(op, call, op.outputs[i], call.given[i]))
      return false;
  return true;
}

/// 1 if torch has to see the call: an input needs a gradient, its class
/// overrides operators, or a mode of torch's is active. -1 with an error set.
static int needsDispatch(const Call &call) {
  bool hasTorch = false, hasGradient = false;
  for (const Call::Read &read : call.tensors) {
    if (read.from->kind == TensorClass::TorchClass)
      return 1;
    if (read.from->kind != TensorClass::Torch)
      continue;
    hasTorch = true;
    if (hasGradient)
      continue;
    Ref flag(PyObject_GetAttr(read.object, names.requiresGrad));
    if (!flag)
      return -1;
    hasGradient = flag.get() == Py_True;
  }
  if (!hasTorch)
    return 0;
  if (hasGradient) {
    Ref isEnabled(PyObject_CallNoArgs(torchState.isGradEnabled));
    if (!isEnabled || isEnabled.get() == Py_True)
      return isEnabled ? 1 : -1;
  }
  Ref modes(PyObject_CallNoArgs(torchState.countModes));
  Ref transform(modes ? PyObject_CallNoArgs(torchState.findTransform)
                      : nullptr);
  if (!transform)
    return -1;
  return transform.get() != Py_None || PyObject_IsTrue(modes.get());
}

static bool readTensors(Operator &op, Call &call) {
  for (size_t i = 0; i < call.tensors.size(); ++i) {
    Call::Read &read = call.tensors[i];
    if (read.from->kind != TensorClass::Other) {
      // A lazily negated tensor has other bits in memory.
      Ref negative(PyObject_CallMethodNoArgs(read.object, names.isNegative));
      if (!negative)
        return false;
      if (negative.get() == Py_True) {
        PyErr_Format(PyExc_ValueError,
                     "%s: a tensor's negation is not materialized; call "
                     "resolve_neg()",
                     op.name.c_str());
        return false;
      }
    }
    if (!readTensor(read.object, *read.from, i >= call.inputCount, read.tensor,
                    call.kept))
      return false;
  }
  // The structs have their places now.
  for (const Call::Read &read : call.tensors)
    call.pointers.push_back(&read.tensor);
  const nereid_tensor_t *const *next = call.pointers.data();
  for (nereid_tensor_argument_t &argument : call.inputs) {
    argument.tensors = next;
    next += argument.count;
  }
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    if (!call.given[i])
      continue;
    const nereid_tensor_t *const *tensor = next++;
    if (isExpanded(**tensor)) {
      PyErr_Format(PyExc_ValueError,
                   "%s: several elements of out are in one place of memory",
                   op.name.c_str());
      return false;
    }
    Extent extent = extentOf(**tensor);
    for (size_t k = 0; k < call.inputCount; ++k)
      if (extent.overlaps(extentOf(call.tensors[k].tensor)))
        call.isOverlapping[i] = true;
    if (call.isOverlapping[i])
      continue;
    nereid_tensor_argument_t argument = {};
    argument.struct_size = sizeof argument;
    argument.name = borrow(op.outputs[i]);
    argument.count = 1;
    argument.tensors = tensor;
    call.outputs.push_back(argument);
  }
  return true;
}

static bool readIntegers(PyObject *object, std::vector<int64_t> &out) {
  if (PyIndex_Check(object) && !PyBool_Check(object)) { // dim=1 for dim=[1]
    out.push_back(PyNumber_AsSsize_t(object, PyExc_OverflowError));
    return !PyErr_Occurred();
  }
  Ref items(PySequence_Fast(object, ""));
  if (!items || PyUnicode_Check(object))
    return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    out.push_back(PyNumber_AsSsize_t(PySequence_Fast_GET_ITEM(items.get(), i),
                                     PyExc_OverflowError));
    if (PyErr_Occurred())
      return false;
  }
  return true;
}

static bool setInteger(PyObject *object, nereid_value_t &value) {
  if (PyBool_Check(object) || !PyIndex_Check(object))
    return false;
  value.type = NEREID_TYPE_I64;
  value.i64 = PyNumber_AsSsize_t(object, PyExc_OverflowError);
  return !PyErr_Occurred();
}

static bool setFloat(PyObject *object, nereid_value_t &value) {
  if (PyUnicode_Check(object) || PyBytes_Check(object))
    return false;
  value.type = NEREID_TYPE_F64;
  value.f64 = PyFloat_AsDouble(object);
  return !PyErr_Occurred();
}

static bool setValue(const Attribute &attribute, PyObject *object, Call &call,
                     nereid_value_t &value) {
  const std::string &type = attribute.type;
  if (type == "int")
    return setInteger(object, value);
  if (type == "float")
    return setFloat(object, value);
  if (type == "bool") {
    value.type = NEREID_TYPE_BOOL;
    value.i64 = object == Py_True;
    return PyBool_Check(object);
  }
  if (type == "number") {
    if (PyBool_Check(object)) {
      value.type = NEREID_TYPE_I64;
      value.i64 = object == Py_True;
      return true;
    }
    return PyIndex_Check(object) ? setInteger(object, value)
                                 : setFloat(object, value);
  }
  if (type == "list") {
    std::vector<int64_t> &list = call.lists.emplace_back();
    if (!readIntegers(object, list))
      return false;
    value.type = NEREID_TYPE_I64_LIST;
    value.list = list.data();
    value.list_size = list.size();
    return true;
  }
  std::string_view text;
  if (!PyUnicode_Check(object) || !readBytes(object, text))
    return false;
  value.type = NEREID_TYPE_STRING;
  value.text = borrow(text);
  return true;
}

static bool readAttributes(const Operator &op, Call &call,
                           PyObject *const *args) {
  call.lists.reserve(op.attributes.size());
  for (size_t i = 0; i < op.attributes.size(); ++i) {
    const Attribute &attribute = op.attributes[i];
    PyObject *object = args[op.inputs.size() + i];
    if (object == Py_None && attribute.isNullable)
      continue;
    nereid_value_t value = {};
    value.name = borrow(attribute.name);
    if (!setValue(attribute, object, call, value)) {
      if (PyErr_ExceptionMatches(PyExc_OverflowError))
        return false;
      PyErr_Clear();
      const std::string &type = attribute.type;
      const char *expected = type == "list"     ? "a list of integers"
                             : type == "string" ? "a str"
                             : type == "dtype"  ? "the name of a type"
                             : type == "number" ? "a number"
                             : type == "int"    ? "an int"
                             : type == "bool"   ? "a bool"
                                                : "a float";
      return failType(op, attribute.name, object, expected);
    }
    call.attributes.push_back(value);
  }
  return true;
}

// ---- devices

/// The operator where the first tensor is.
static OnDevice *findDevice(Operator &op, const Call &call) {
  int32_t type = 0, number = 0; // no tensor: the default device
  if (!call.tensors.empty()) {
    type = call.tensors[0].tensor.device_type;
    number = call.tensors[0].tensor.device_id;
  }
  for (const std::unique_ptr<OnDevice> &known : op.devices)
    if (known->type == type && known->number == number)
      return known.get();
  Ref kind(PyLong_FromLong(type)), index(PyLong_FromLong(number));
  Ref device(PyObject_CallMethodObjArgs(op.hooks.get(), names.findDevice,
                                        kind.get(), index.get(), nullptr));
  if (!device)
    return nullptr;
  if (!Py_IS_TYPE(device.get(), opsDeviceType)) {
    PyErr_SetString(PyExc_TypeError, "expected packs on a device");
    return nullptr;
  }
  auto found = std::make_unique<OnDevice>();
  found->type = type;
  found->number = number;
  found->device = reinterpret_cast<OpsDeviceObject *>(device.release());
  if (nereid_status_t status = nereid_ops_operator(
          found->device->loaded, borrow(op.name), &found->op)) {
    raise(status);
    return nullptr;
  }
  return op.devices.emplace_back(std::move(found)).get();
}

/// The stream that the program works on: what it set with nereid, else that of
/// the tensors' library.
static bool findStream(Operator &op, const Call &call, OnDevice &on,
                       nereid_stream_t &out) {
  out = 0;
  if (on.type == dlpack::kCpu)
    return true;
  if (nereid_status_t status = nereid_backend_get_current_stream(
          on.device->backend, on.device->device, &out)) {
    raise(status);
    return false;
  }
  const dlpack::Exchange *exchange = nullptr;
  for (const Call::Read &read : call.tensors)
    if (read.from->exchange)
      exchange = read.from->exchange;
  void *handle = nullptr;
  if (out || !exchange)
    return true;
  if (exchange->currentStream(on.type, on.number, &handle))
    return false;
  if (!handle)
    return true;
  if (auto known = on.streams.find(handle); known != on.streams.end()) {
    out = known->second;
    return true;
  }
  Ref kind(PyLong_FromLong(on.type)), index(PyLong_FromLong(on.number)),
      number(PyLong_FromVoidPtr(handle));
  Ref stream(PyObject_CallMethodObjArgs(op.hooks.get(), names.importStream,
                                        kind.get(), index.get(), number.get(),
                                        nullptr));
  if (!stream)
    return false;
  out = PyLong_AsUnsignedLongLong(stream.get());
  if (PyErr_Occurred())
    return false;
  on.streams[handle] = out;
  return true;
}

// ---- outputs

namespace {
struct Allocation {
  Operator &op;
  Call &call;
  PyThreadState *released; // the GIL's while the operator runs
};
} // namespace

/// The name of an element's type as nereid.ops spells it.
static const char *dtypeName(const dlpack::Tensor &tensor) {
  static constexpr struct {
    uint8_t code, bits;
    const char *name;
  } known[] = {{0, 8, "i8"},   {0, 16, "i16"},    {0, 32, "i32"},
               {0, 64, "i64"}, {1, 8, "u8"},      {1, 16, "u16"},
               {1, 32, "u32"}, {1, 64, "u64"},    {2, 16, "f16"},
               {2, 32, "f32"}, {2, 64, "f64"},    {4, 16, "bf16"},
               {6, 8, "i1"},   {10, 8, "f8e4m3"}, {12, 8, "f8e5m2"}};
  for (const auto &each : known)
    if (each.code == tensor.type_code && each.bits == tensor.type_bits)
      return each.name;
  return "?";
}

/// By the hooks, for tensors that are not torch's.
static PyObject *allocateArray(Operator &op, Call &call,
                               const dlpack::Tensor &wanted, void *&data) {
  Ref shape(PyTuple_New(wanted.ndim));
  for (int32_t i = 0; shape && i < wanted.ndim; ++i)
    PyTuple_SET_ITEM(shape.get(), i, PyLong_FromLongLong(wanted.shape[i]));
  Ref dtype(toStr(std::string_view(dtypeName(wanted))));
  Ref kind(PyLong_FromLong(wanted.device_type)),
      index(PyLong_FromLong(wanted.device_id));
  Ref array(PyObject_CallMethodObjArgs(op.hooks.get(), names.allocate,
                                       shape.get(), dtype.get(), kind.get(),
                                       index.get(), nullptr));
  if (!array)
    return nullptr;
  const TensorClass *from =
      classOf(array.get(), op.classify.get(), op.name.c_str(), "out");
  dlpack::Tensor tensor;
  if (!from || !readTensor(array.get(), *from, true, tensor, call.kept))
    return nullptr;
  data = static_cast<char *>(tensor.data) + tensor.byte_offset;
  return array.release();
}

static nereid_status_t allocate(void *user, nereid_string_t name,
                                const nereid_tensor_t *wanted,
                                nereid_tensor_t *out) {
  auto &[op, call, released] = *static_cast<Allocation *>(user);
  PyEval_RestoreThread(released);
  const dlpack::Exchange *exchange = nullptr;
  for (const Call::Read &read : call.tensors)
    if (read.from->exchange)
      exchange = read.from->exchange;
  void *data = nullptr;
  PyObject *made = exchange ? makeTensor(*exchange, *wanted, data)
                            : allocateArray(op, call, *wanted, data);
  if (made)
    for (size_t i = 0; i < op.outputs.size(); ++i)
      if (view(name) == op.outputs[i])
        call.made[i] = Ref(made);
  out->data = data;
  out->byte_offset = 0;
  released = PyEval_SaveThread();
  return made ? NEREID_OK : NEREID_INVALID_ARGUMENT;
}

/// Lets autograd know that torch's tensors were written to.
static bool noteWrites(const Call &call) {
  for (size_t i = call.inputCount; i < call.tensors.size(); ++i) {
    if (call.tensors[i].from->kind == TensorClass::Other)
      continue;
    Ref list(PyTuple_Pack(1, call.tensors[i].object));
    Ref done(list ? PyObject_CallOneArg(torchState.incrementVersion, list.get())
                  : nullptr);
    if (done)
      continue;
    if (!PyErr_ExceptionMatches(PyExc_RuntimeError))
      return false;
    PyErr_Clear(); // one made in inference mode has no version
  }
  return true;
}

/// What the caller gets: out, or the tensors that were made.
static PyObject *results(Operator &op, Call &call) {
  if (!noteWrites(call))
    return nullptr;
  std::vector<Ref> each;
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    if (call.isOverlapping[i]) {
      Ref done(PyObject_CallMethodObjArgs(op.hooks.get(), names.copy,
                                          call.given[i], call.made[i].get(),
                                          nullptr));
      if (!done)
        return nullptr;
    }
    if (call.given[i])
      each.push_back(Ref::borrow(call.given[i]));
    else if (call.made[i])
      each.push_back(std::move(call.made[i]));
    else
      each.push_back(Ref::borrow(Py_None)); // the call does not have it
  }
  if (each.size() == 1)
    return each[0].release();
  Ref tuple(PyTuple_New(Py_ssize_t(each.size())));
  for (size_t i = 0; tuple && i < each.size(); ++i)
    PyTuple_SET_ITEM(tuple.get(), Py_ssize_t(i), each[i].release());
  return tuple.release();
}

// ---- calling

static nereid_operator_call_t requestOf(Call &call, nereid_stream_t stream) {
  nereid_operator_call_t request = {};
  request.struct_size = sizeof request;
  request.inputs = call.inputs.data();
  request.input_count = call.inputs.size();
  request.outputs = call.outputs.data();
  request.output_count = call.outputs.size();
  request.attributes = call.attributes.data();
  request.attribute_count = call.attributes.size();
  request.stream = stream;
  return request;
}

static PyObject *run(Operator &op, Call &call) {
  if (!readTensors(op, call))
    return nullptr;
  OnDevice *on = findDevice(op, call);
  nereid_stream_t stream = 0;
  if (!on || !findStream(op, call, *on, stream))
    return nullptr;
  nereid_operator_call_t request = requestOf(call, stream);
  Allocation allocation = {op, call, nullptr};
  nereid_tensor_allocator_t allocator = {};
  allocator.struct_size = sizeof allocator;
  allocator.user = &allocation;
  allocator.allocate = allocate;
  request.allocator = &allocator;
  std::string reason;
  allocation.released = PyEval_SaveThread(); // kernels run in here
  nereid_status_t status = nereid_operator_call(on->op, &request);
  // The caller may read the host's memory at once.
  if (!status && on->type == dlpack::kCpu && !on->device->isSynchronous)
    status = nereid_backend_synchronize(on->device->backend, on->device->device,
                                        stream);
  if (status)
    reason = view(nereid_error());
  PyEval_RestoreThread(allocation.released);
  if (PyErr_Occurred()) // of the allocator
    return nullptr;
  return status ? raise(status, reason) : results(op, call);
}

static bool checkCount(const Operator &op, Py_ssize_t count) {
  size_t wanted = op.inputs.size() + op.attributes.size() + 1;
  if (count == Py_ssize_t(wanted))
    return true;
  PyErr_Format(PyExc_TypeError,
               "%s: %zd arguments, expected %zu: inputs, attributes, out",
               op.name.c_str(), count, wanted);
  return false;
}

static PyObject *callWith(PyObject *object, PyObject *const *args,
                          Py_ssize_t count, bool mayDispatch) {
  Operator &op = operatorOf(object);
  if (!checkCount(op, count))
    return nullptr;
  thread_local Call kept;
  Call call = std::move(kept); // an allocator may call operators
  call.clear(op);
  PyObject *result = nullptr;
  if (noteTensors(op, call, args) && readAttributes(op, call, args)) {
    int isDispatched = mayDispatch ? needsDispatch(call) : 0;
    if (isDispatched > 0) {
      Ref name(toStr(op.name));
      Ref list(PyTuple_New(count));
      for (Py_ssize_t i = 0; list && i < count; ++i)
        PyTuple_SET_ITEM(list.get(), i, Ref::borrow(args[i]).release());
      result = PyObject_CallMethodObjArgs(op.hooks.get(), names.dispatch,
                                          name.get(), list.get(), nullptr);
    } else if (isDispatched == 0) {
      result = run(op, call);
    }
  }
  call.clear(op); // while the interpreter is there to release objects
  kept = std::move(call);
  return result;
}

static PyObject *callOperator(PyObject *object, PyObject *const *args,
                              size_t flags, PyObject *keywords) {
  if (keywords)
    return PyErr_Format(PyExc_TypeError, "an operator takes no keywords here");
  return callWith(object, args, PyVectorcall_NARGS(flags), true);
}

static PyObject *runOperator(PyObject *object, PyObject *const *args,
                             Py_ssize_t count) {
  return callWith(object, args, count, false);
}

static PyObject *explain(PyObject *object, PyObject *const *args,
                         Py_ssize_t count) {
  Operator &op = operatorOf(object);
  if (!checkCount(op, count))
    return nullptr;
  Call call;
  call.clear(op);
  if (!noteTensors(op, call, args) || !readTensors(op, call) ||
      !readAttributes(op, call, args))
    return nullptr;
  OnDevice *on = findDevice(op, call);
  if (!on)
    return nullptr;
  nereid_operator_call_t request = requestOf(call, 0);
  nereid_buffer_t *json = nullptr;
  nereid_status_t status = nereid_operator_explain(on->op, &request, &json);
  return takeText(status, json);
}

// ---- the type

static bool readNames(PyObject *list, Operator &op) {
  Ref items(PySequence_Fast(list, "expected a list of names"));
  for (Py_ssize_t i = 0; items && i < PySequence_Fast_GET_SIZE(items.get());
       ++i) {
    std::string_view name;
    if (!readBytes(PySequence_Fast_GET_ITEM(items.get(), i), name))
      return false;
    op.outputs.emplace_back(name);
  }
  return bool(items);
}

static bool readInputs(PyObject *list, Operator &op) {
  Ref items(PySequence_Fast(list, "expected a list of inputs"));
  for (Py_ssize_t i = 0; items && i < PySequence_Fast_GET_SIZE(items.get());
       ++i) {
    const char *name = nullptr;
    int isOptional = 0, isList = 0;
    if (!PyArg_ParseTuple(PySequence_Fast_GET_ITEM(items.get(), i), "spp",
                          &name, &isOptional, &isList))
      return false;
    op.inputs.push_back({name, isOptional != 0, isList != 0});
  }
  return bool(items);
}

static bool readAttributes(PyObject *list, Operator &op) {
  Ref items(PySequence_Fast(list, "expected a list of attributes"));
  for (Py_ssize_t i = 0; items && i < PySequence_Fast_GET_SIZE(items.get());
       ++i) {
    const char *name = nullptr, *type = nullptr;
    int isNullable = 0;
    if (!PyArg_ParseTuple(PySequence_Fast_GET_ITEM(items.get(), i), "ssp",
                          &name, &type, &isNullable))
      return false;
    op.attributes.push_back({name, type, isNullable != 0});
  }
  return bool(items);
}

/// Operator(name, inputs, attributes, outputs, hooks)
static PyObject *newOperator(PyTypeObject *type, PyObject *args, PyObject *) {
  const char *name = nullptr;
  PyObject *inputs = nullptr, *attributes = nullptr, *outputs = nullptr,
           *hooks = nullptr;
  if (!PyArg_ParseTuple(args, "sOOOO", &name, &inputs, &attributes, &outputs,
                        &hooks))
    return nullptr;
  auto op = std::make_unique<Operator>();
  op->name = name;
  if (!readInputs(inputs, *op) || !readAttributes(attributes, *op) ||
      !readNames(outputs, *op))
    return nullptr;
  op->hooks = Ref::borrow(hooks);
  op->classify = Ref(PyObject_GetAttrString(hooks, "classify"));
  PyObject *object = op->classify ? type->tp_alloc(type, 0) : nullptr;
  if (!object)
    return nullptr;
  auto *made = reinterpret_cast<OperatorObject *>(object);
  made->call = guarded<callOperator>;
  made->op = op.release();
  return object;
}

static void freeOperator(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  delete reinterpret_cast<OperatorObject *>(object)->op;
  type->tp_free(object);
  Py_DECREF(type);
}

static bool makeNames() {
  const std::pair<PyObject **, const char *> all[] = {
      {&names.requiresGrad, "requires_grad"},
      {&names.isNegative, "is_neg"},
      {&names.dispatch, "dispatch"},
      {&names.findDevice, "find_device"},
      {&names.allocate, "allocate"},
      {&names.copy, "copy"},
      {&names.importStream, "import_stream"}};
  for (auto [name, text] : all)
    if (!(*name = PyUnicode_InternFromString(text)))
      return false;
  return true;
}

bool addOperatorType(PyObject *module) {
  static PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET,
                                   offsetof(OperatorObject, call), READONLY,
                                   nullptr},
                                  {}};
  static PyMethodDef methods[] = {
      {"run", method(guarded<runOperator>), METH_FASTCALL,
       "Calls it without torch's dispatch."},
      {"explain", method(guarded<explain>), METH_FASTCALL,
       "What the call launches and why, as JSON."},
      {}};
  static PyType_Slot slots[] = {
      {Py_tp_new, reinterpret_cast<void *>(guarded<newOperator>)},
      {Py_tp_dealloc, reinterpret_cast<void *>(freeOperator)},
      {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
      {Py_tp_members, members},
      {Py_tp_methods, methods},
      {Py_tp_doc,
       const_cast<char *>("Operator(name, inputs, attributes, outputs, hooks): "
                          "called with all inputs, attributes and out.")},
      {}};
  static PyType_Spec spec = {
      "nereid._operators.Operator", sizeof(OperatorObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, slots};
  operatorType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return makeNames() && operatorType &&
         PyModule_AddType(module, operatorType) == 0;
}

PyObject *setTorch(PyObject *, PyObject *args) {
  TorchState given = {};
  if (!PyArg_ParseTuple(args, "OOOO", &given.isGradEnabled, &given.countModes,
                        &given.findTransform, &given.incrementVersion))
    return nullptr;
  for (PyObject *each : {given.isGradEnabled, given.countModes,
                         given.findTransform, given.incrementVersion})
    Py_INCREF(each);
  torchState = given; // set once
  Py_RETURN_NONE;
}

bool addOpsDeviceType(PyObject *module) {
  static PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char *>("The packs on one device.")}, {}};
  static PyType_Spec spec = {
      "nereid._operators.Device", sizeof(OpsDeviceObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  opsDeviceType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return opsDeviceType && PyModule_AddType(module, opsDeviceType) == 0;
}

} // namespace nereid::python
