// artifact.cpp - the result of a compilation.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "artifact.h"

namespace nereid::python {

PyTypeObject *compiledType = nullptr;

static nereid_artifact_t *self(PyObject *object) {
  return reinterpret_cast<ArtifactObject *>(object)->artifact;
}

PyObject *wrapArtifact(nereid_artifact_t *artifact) {
  PyObject *object = compiledType->tp_alloc(compiledType, 0);
  if (!object)
    nereid_artifact_destroy(artifact);
  else
    reinterpret_cast<ArtifactObject *>(object)->artifact = artifact;
  return object;
}

static void dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  nereid_artifact_destroy(self(object));
  type->tp_free(object);
  Py_DECREF(type);
}

static nereid_artifact_info_t infoOf(PyObject *object) {
  nereid_artifact_info_t info = {};
  info.struct_size = sizeof info;
  (void)nereid_artifact_info(self(object), &info);
  return info;
}

static PyObject *toBytes(nereid_bytes_t bytes) {
  return PyBytes_FromStringAndSize(static_cast<const char *>(bytes.data),
                                   static_cast<Py_ssize_t>(bytes.size));
}

static PyObject *stage(PyObject *object, PyObject *name) {
  std::string_view wanted;
  if (!readBytes(name, wanted))
    return nullptr;
  nereid_bytes_t output = {};
  nereid_status_t status =
      nereid_artifact_stage(self(object), borrow(wanted), &output);
  return status == NEREID_OK ? toBytes(output) : raise(status);
}

static PyObject *save(PyObject *object, PyObject *) {
  nereid_buffer_t *file = nullptr;
  nereid_status_t status = nereid_artifact_save(self(object), &file);
  return takeBytes(status, file);
}

static PyObject *describe(PyObject *object, PyObject *) {
  nereid_buffer_t *json = nullptr;
  nereid_status_t status = nereid_artifact_describe(self(object), &json);
  return takeText(status, json);
}

static PyObject *output(PyObject *object, void *) {
  return toBytes(infoOf(object).output);
}

static PyObject *name(PyObject *object, void *) {
  return toStr(infoOf(object).name);
}

static PyObject *isImage(PyObject *object, void *) {
  return PyBool_FromLong(infoOf(object).is_image != 0);
}

bool addCompiledType(PyObject *module) {
  static PyMethodDef methods[] = {
      {"stage", guarded<stage>, METH_O, "The output of a stage that was kept."},
      {"save", guarded<save>, METH_NOARGS, "The result in one piece."},
      {"describe", guarded<describe>, METH_NOARGS, "All facts as JSON."},
      {}};
  static PyGetSetDef getters[] = {
      {"output", output, nullptr, "The bytes of the last stage.", nullptr},
      {"name", name, nullptr, "The kernel's name.", nullptr},
      {"is_image", isImage, nullptr, "Whether it can be loaded.", nullptr},
      {}};
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void *>(dealloc)},
      {Py_tp_methods, methods},
      {Py_tp_getset, getters},
      {Py_tp_doc, const_cast<char *>("The result of a compilation.")},
      {}};
  static PyType_Spec spec = {
      "nereid._nereid.Artifact", sizeof(ArtifactObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  compiledType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return compiledType && PyModule_AddType(module, compiledType) == 0;
}

} // namespace nereid::python
