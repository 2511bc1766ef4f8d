// nereid/ops.h - operators for host programs: packs of kernels, and which
// kernel a call takes. In libnereid-ops, over nereid/host.h.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The rules of nereid/host.h hold here too: C11, structs that start with their
// size and grow at the end, thread words on every function, nereid_error() for
// the reasons of a failure. docs/operators.md describes packs and expressions.

#ifndef NEREID_OPS_H
#define NEREID_OPS_H

#include "nereid/host/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// The operator packs that were found.
typedef struct nereid_ops_t nereid_ops_t;

// Flags of nereid_ops_options_t.
enum {
  NEREID_OPS_IGNORE_ENVIRONMENT = 1u,  // nor the user's own pack
  NEREID_OPS_NO_INSTALLED = 2u,        // not the packs beside the library
  NEREID_OPS_ALLOW_WRITABLE = 4u       // accept packs that others can write
};

// Where packs are looked for. Zero is the default of every field.
typedef struct nereid_ops_options_t {
  uint32_t struct_size;
  uint32_t flags;
  nereid_string_t pack_dirs;  // like NEREID_PACK_DIRS, which it replaces
  nereid_string_t user_dir;   // in place of the user's own pack
} nereid_ops_options_t;

// Finds and reads packs. What is wrong with a pack or an operator is not an
// error: it is left out, and is in the report. `options` may be NULL.
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_ops_create(const nereid_ops_options_t *options, nereid_ops_t **out_ops);
// [exclusive]
NEREID_EXPORT void nereid_ops_destroy(nereid_ops_t *ops);

// The load report: {"packs": [{"vendor", "directory", "targets", "operators",
// "configurations", "layers"}], "problems": [{"file", "line", "column",
// "text"}]}. A problem of a whole file has line 0. [any-thread]
NEREID_EXPORT nereid_status_t nereid_ops_report(const nereid_ops_t *ops,
                                                nereid_buffer_t **out_json);

// What operators are chosen for.
typedef struct nereid_ops_target_t {
  uint32_t struct_size;
  uint32_t reserved;
  nereid_string_t device_type;  // "cuda"
  nereid_string_t arch;         // as in nereid_target_t
  nereid_string_t compiler;     // "triton-3.6.0"; may be empty
  // The driver's properties as a JSON object (nereid_backend_properties), which
  // expressions see as `device`; may be empty.
  nereid_string_t properties;
} nereid_ops_target_t;

// The operators for `target`, or all if it is NULL: [{"operator", "layers",
// "variants", "disabled"}], the layer that is looked at first first; "disabled"
// is a reason or null. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_ops_list(const nereid_ops_t *ops, const nereid_ops_target_t *target,
                nereid_buffer_t **out_json);
// {"operator", "schema", "backward", "aten", "layers": [{"layer", "file",
// "variants": [{"name", "line", "when", "kernels", "tune"}]}]}. The error for
// an unknown name suggests similar ones. [any-thread]
NEREID_EXPORT nereid_status_t nereid_ops_show(const nereid_ops_t *ops,
                                              nereid_string_t name,
                                              nereid_buffer_t **out_json);
// What a call of `name` launches on `target`, and why. `call` is a JSON object:
// {"inputs": {"x": {"shape": [4, 8], "dtype": "f16", "stride": [8, 1], "align":
// 16}}, "outputs": {...}, "attributes": {"dim": -1}, "configuration":
// {"variant": "rows", "constants": {...}, "options": {...}}}, where
// "configuration" replaces what would be chosen; an input that is a list of
// tensors is a list. Stride and align, and all but the inputs, may be missing.
// docs/operators.md describes the answer. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_ops_explain(const nereid_ops_t *ops, const nereid_ops_target_t *target,
                   nereid_string_t name, nereid_string_t call,
                   nereid_buffer_t **out_json);

// ---------------------------------------------------------------- archives

// The model of the pack in `directory`, which the file "pack.json" of an archive
// has: docs/archive.md. [any-thread]
NEREID_EXPORT nereid_status_t nereid_ops_pack_model(nereid_string_t directory,
                                                    nereid_buffer_t **out_json);

// Which kernels of a pack to make. Borrowed for the call.
typedef struct nereid_ops_pack_request_t {
  uint32_t struct_size;
  uint32_t reserved;
  nereid_string_t directory;  // the pack's
  const nereid_ops_target_t *target;
  // What the compiler declares for Triton (nereid_backend_frontend); may be
  // empty.
  nereid_string_t frontend;
  nereid_string_t calls;       // a list in YAML or JSON; may be empty
  nereid_string_t calls_name;  // the name of its file, in errors
  nereid_string_t python;      // as in nereid_ops_load_t
  nereid_string_t cache_dir;   // of libnereid, for TTIR; empty: none
  const struct nereid_kernel_source_t *kernels;  // as in nereid_ops_load_t
} nereid_ops_pack_request_t;

// The kernels that the calls launch on the target, and those of the pack's own
// tuned results: {"kernels": [{"name", "where", "ttir", "arguments": [NAME],
// "options": {NAME: TEXT}}], "failures": [{"name", "text"}]}. Each call is an
// object as for nereid_ops_explain(), with "operator". [any-thread]
NEREID_EXPORT nereid_status_t
nereid_ops_pack_kernels(const nereid_ops_pack_request_t *request,
                        nereid_buffer_t **out_json);

// An expression of an operator pack, parsed.
typedef struct nereid_expression_t nereid_expression_t;

// Parses `text`; the error names the column. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_expression_parse(nereid_string_t text,
                        nereid_expression_t **out_expression);
// [any-thread]
NEREID_EXPORT void
nereid_expression_destroy(nereid_expression_t *expression);
// Evaluates it over `values`, a JSON object with the value of each name; an
// object in it is something with attributes, like a tensor. The result is
// written as Python's repr() writes it: "[1, 2.5, 'a', None]". [any-thread]
NEREID_EXPORT nereid_status_t
nereid_expression_evaluate(const nereid_expression_t *expression,
                           nereid_string_t values,
                           nereid_buffer_t **out_text);

// ---------------------------------------------------------------- calling
//
//   nereid_ops_load()         the packs on one device
//   nereid_ops_operator()     one operator there
//   nereid_operator_call()    as often as needed
//
// The first call with certain shapes, strides, types and attributes chooses
// kernels, makes and compiles them; later ones only launch.

// The packs on one device of a runtime.
typedef struct nereid_ops_device_t nereid_ops_device_t;
// One operator on one device; lives as long as its nereid_ops_device_t.
typedef struct nereid_operator_t nereid_operator_t;

// A tensor: the layout of DLPack's DLTensor, a pointer to which may be passed in
// its place. Leaf.
typedef struct nereid_tensor_t {
  void *data;           // on the device
  int32_t device_type;  // kDLCPU 1, kDLCUDA 2, ...
  int32_t device_id;
  int32_t ndim;
  uint8_t type_code;    // kDLInt 0, kDLUInt 1, kDLFloat 2, kDLBfloat 4, ...
  uint8_t type_bits;
  uint16_t type_lanes;  // 1
  int64_t *shape;
  int64_t *strides;     // in elements; NULL: row major
  uint64_t byte_offset;
} nereid_tensor_t;

// Makes the TTIR of kernels in the calling program, instead of a Python that
// libnereid-ops starts.
typedef struct nereid_kernel_source_t {
  uint32_t struct_size;
  uint32_t reserved;
  void *user;
  // `request` is a JSON object and so is what is written to `answer`, in one
  // piece or many: docs/operators.md has both. A failure's reason is written to
  // `answer` as text. [any-thread]
  nereid_status_t (*make)(void *user, nereid_string_t request,
                          const nereid_writer_t *answer);
} nereid_kernel_source_t;

// What to load packs for. Everything but the backend, the runtime and `kernels`
// is borrowed for the call; those outlive the result.
typedef struct nereid_ops_load_t {
  uint32_t struct_size;
  uint32_t device;            // of `backend`
  nereid_runtime_t *runtime;
  nereid_backend_t *backend;  // NULL: that of NEREID_TARGET, or the best score
  // A Python with Triton that makes TTIR; empty: NEREID_TRITON_PYTHON, else
  // `python3`. It is started when the cache does not have a kernel.
  nereid_string_t python;
  const nereid_kernel_source_t *kernels;  // NULL: a Python
  // The store of tuned results; empty: the user's own (nereid/tune.h).
  nereid_string_t store;
  // "off": no tuned results; "use": the best ones decide; "record": what has no
  // result of this device is written down besides, for a later `nereid tune
  // run`; "on", or "on:SECONDS": it is tuned by the first such call. Empty:
  // NEREID_TUNING, else "use".
  nereid_string_t tuning;
} nereid_ops_load_t;

// Prepares packs for a device; makes no kernel yet. `ops` outlives the result.
// [any-thread]
NEREID_EXPORT nereid_status_t nereid_ops_load(const nereid_ops_t *ops,
                                              const nereid_ops_load_t *request,
                                              nereid_ops_device_t **out_device);
// Waits for the device, and unloads. [exclusive]
NEREID_EXPORT void nereid_ops_device_destroy(nereid_ops_device_t *device);

// The operator called `name`; the error for an unknown name suggests similar
// ones. [any-thread]
NEREID_EXPORT nereid_status_t nereid_ops_operator(nereid_ops_device_t *device,
                                                  nereid_string_t name,
                                                  nereid_operator_t **out_operator);

// The tensors of one input or output: one, unless the schema says that it is a
// list.
typedef struct nereid_tensor_argument_t {
  uint32_t struct_size;
  uint32_t count;
  nereid_string_t name;
  const nereid_tensor_t *const *tensors;
} nereid_tensor_argument_t;

// Makes the outputs that a call does not have.
typedef struct nereid_tensor_allocator_t {
  uint32_t struct_size;
  uint32_t reserved;
  void *user;
  // Sets `data` and `byte_offset` of `out_tensor`, which has the type and the
  // shape of `wanted`, row major, to memory of the device that is aligned to 64
  // bytes. `name` is that of the output. It may call operators. [any-thread]
  nereid_status_t (*allocate)(void *user, nereid_string_t name,
                              const nereid_tensor_t *wanted,
                              nereid_tensor_t *out_tensor);
} nereid_tensor_allocator_t;

// What a call of `name` launches on the device, and why, as nereid_ops_explain();
// "tuned" is what tuned results say: {"mode", "store", "notices", "choice",
// "considered", "left_out"}, as nereid_tune_lookup(). [any-thread]
NEREID_EXPORT nereid_status_t
nereid_ops_device_explain(nereid_ops_device_t *device, nereid_string_t name,
                          nereid_string_t call, nereid_buffer_t **out_json);

// One call. Everything is borrowed for the call; the memory of the tensors must
// stay until the stream has done the work. Optional inputs and attributes with
// a default may be left out.
typedef struct nereid_operator_call_t {
  uint32_t struct_size;
  uint32_t reserved;
  const nereid_tensor_argument_t *inputs;
  uint64_t input_count;
  const nereid_tensor_argument_t *outputs;
  uint64_t output_count;
  // Numbers, bools, strings, or lists of integers, by name.
  const nereid_value_t *attributes;
  uint64_t attribute_count;
  nereid_stream_t stream;
  const nereid_tensor_allocator_t *allocator;  // NULL: all outputs are given
  // What to use in place of what would be chosen, as JSON: {"variant": "rows",
  // "constants": {...}, "options": {...}}; empty: nothing.
  nereid_string_t choice;
} nereid_operator_call_t;

// Puts the operator's work on the stream. Errors name the operator and what does
// not fit, in the words of its schema. Work on one stream runs in order; a call
// whose kernels need temporary memory shares it with others on that stream.
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_operator_call(nereid_operator_t *op, const nereid_operator_call_t *call);
// Does everything that the first such call would, but launches nothing.
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_operator_prepare(nereid_operator_t *op,
                        const nereid_operator_call_t *call);
// What such a call launches and why, as nereid_ops_device_explain(). Makes no
// kernel.
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_operator_explain(nereid_operator_t *op, const nereid_operator_call_t *call,
                        nereid_buffer_t **out_json);

// Flags of nereid_operator_candidates().
enum {
  NEREID_CANDIDATES_EXPANDED = 1u  // of a long search, not the usual ones
};

// What such a call may be tuned over: {"key", "bucket", "outputs": [{"name",
// "dtype", "shape"}], "values": {"index": {"low", "high", "sorted"}}, "candidates":
// [{"layer", "variant", "configuration", "choice", "default", "source",
// "unsupported"}]}. "values" is which numbers an input may have where it says so.
// The first one is the default; "choice" is for nereid_operator_call_t, "variant"
// and "configuration" for tuned results, "unsupported" is a reason or null.
// There are none for a call that launches nothing. [any-thread]
NEREID_EXPORT nereid_status_t nereid_operator_candidates(
    nereid_operator_t *op, const nereid_operator_call_t *call, uint32_t flags,
    nereid_buffer_t **out_json);

#ifdef __cplusplus
}
#endif
#endif // NEREID_OPS_H
