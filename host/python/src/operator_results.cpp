// operator_results.cpp - the outputs of a call of an operator.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "operator_state.h"

namespace nereid::python {

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
static PyObject *allocateArray(Operator &op, OperatorCall &call,
                               const dlpack::Tensor &wanted, void *&data) {
  Ref shape(PyTuple_New(wanted.ndim));
  for (int32_t i = 0; shape && i < wanted.ndim; ++i)
    PyTuple_SET_ITEM(shape.get(), i, PyLong_FromLongLong(wanted.shape[i]));
  Ref dtype(toStr(std::string_view(dtypeName(wanted))));
  Ref kind(PyLong_FromLong(wanted.device_type)),
      index(PyLong_FromLong(wanted.device_id));
  Ref array(PyObject_CallMethodObjArgs(op.hooks.get(), operatorNames.allocate,
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

nereid_status_t allocateOutput(void *user, nereid_string_t name,
                               const nereid_tensor_t *wanted,
                               nereid_tensor_t *out) {
  auto &[op, call, released] = *static_cast<OperatorAllocation *>(user);
  PyEval_RestoreThread(released);
  const dlpack::Exchange *exchange = nullptr;
  for (const OperatorCall::Read &read : call.tensors)
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
static bool noteWrites(const OperatorCall &call) {
  for (size_t i = call.inputCount; i < call.tensors.size(); ++i) {
    if (call.tensors[i].from->kind == TensorClass::Other)
      continue;
    Ref list(PyTuple_Pack(1, call.tensors[i].object));
    Ref done(
        list ? PyObject_CallOneArg(torchFunctions.incrementVersion, list.get())
             : nullptr);
    if (done)
      continue;
    if (!PyErr_ExceptionMatches(PyExc_RuntimeError))
      return false;
    PyErr_Clear(); // one made in inference mode has no version
  }
  return true;
}

PyObject *resultsOf(Operator &op, OperatorCall &call) {
  if (!noteWrites(call))
    return nullptr;
  std::vector<Ref> each;
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    if (call.isOverlapping[i]) {
      Ref done(PyObject_CallMethodObjArgs(op.hooks.get(), operatorNames.copy,
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

} // namespace nereid::python
