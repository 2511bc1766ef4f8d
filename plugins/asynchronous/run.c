// run.c - interprets a program, on the thread of a stream.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "asynchronous.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One lane: a sign-extended integer (an i1 is 0 or 1), an address, or a float,
// rounded to its type.
typedef union lane_t {
  int64_t i;
  uint64_t u;
  double f;
} lane_t;

// A running launch.
typedef struct run_t {
  const program_t *program;
  memory_t *memory;
  memory_view_t view;
  const unsigned char *arguments;
  const uint32_t *grid;
  uint32_t id[3];
  lane_t *lanes;   // of all values
  lane_t **values; // the first lane of each
  fault_t *fault;
} run_t;

// ---------------------------------------------------------------- numbers
static int64_t wrap(uint32_t type, uint64_t value) {
  switch (type) {
  case TYPE_I1:
    return (int64_t)(value & 1);
  case TYPE_I8:
    return (int8_t)value;
  case TYPE_I16:
    return (int16_t)value;
  case TYPE_I32:
    return (int32_t)value;
  default:
    return (int64_t)value;
  }
}

static double rounded(uint32_t type, double value) {
  return type == TYPE_F32 ? (double)(float)value : value;
}

static int32_t is_float(uint32_t type) {
  return type == TYPE_F32 || type == TYPE_F64;
}

static lane_t read_value(uint32_t type, const void *from) {
  lane_t lane = {.u = 0};
  float single;
  if (type == TYPE_F32) {
    memcpy(&single, from, sizeof(single));
    lane.f = single;
    return lane;
  }
  memcpy(&lane, from, program_type_size(type)); // little-endian
  if (!is_float(type))
    lane.i = wrap(type, lane.u);
  return lane;
}

static void write_value(uint32_t type, lane_t lane, void *to) {
  float single = (float)lane.f;
  if (type == TYPE_F32)
    memcpy(to, &single, sizeof(single));
  else
    memcpy(to, &lane, program_type_size(type));
}

// ---------------------------------------------------------------- operations
static int32_t compare(uint64_t predicate, lane_t a, lane_t b) {
  switch (predicate) {
  case CMP_EQ:
    return a.i == b.i;
  case CMP_NE:
    return a.i != b.i;
  case CMP_SLT:
    return a.i < b.i;
  case CMP_SLE:
    return a.i <= b.i;
  case CMP_SGT:
    return a.i > b.i;
  case CMP_SGE:
    return a.i >= b.i;
  case CMP_ULT: // sign extension preserves the unsigned order
    return a.u < b.u;
  case CMP_ULE:
    return a.u <= b.u;
  case CMP_UGT:
    return a.u > b.u;
  case CMP_UGE:
    return a.u >= b.u;
  case CMP_OEQ:
    return a.f == b.f;
  case CMP_OGT:
    return a.f > b.f;
  case CMP_OGE:
    return a.f >= b.f;
  case CMP_OLT:
    return a.f < b.f;
  case CMP_OLE:
    return a.f <= b.f;
  case CMP_ONE:
    return a.f < b.f || a.f > b.f;
  default: // CMP_UNE
    return a.f != b.f;
  }
}

// A division by zero returns 0 and sets `*out_failed`.
static uint64_t divide(const operation_t *op, int64_t a, int64_t b,
                       int32_t *out_failed) {
  *out_failed = b == 0;
  if (!b)
    return 0;
  if (b == -1)
    return op->op == OP_DIVSI ? 0 - (uint64_t)a : 0;
  return (uint64_t)(op->op == OP_DIVSI ? a / b : a % b);
}

static uint64_t integer_op(const operation_t *op, lane_t a, lane_t b,
                           int32_t *out_failed) {
  // A signed i1 is 0 or -1.
  int64_t x = op->type == TYPE_I1 ? -a.i : a.i;
  int64_t y = op->type == TYPE_I1 ? -b.i : b.i;
  switch (op->op) {
  case OP_ADDI:
    return a.u + b.u;
  case OP_SUBI:
    return a.u - b.u;
  case OP_MULI:
    return a.u * b.u;
  case OP_ANDI:
    return a.u & b.u;
  case OP_ORI:
    return a.u | b.u;
  case OP_XORI:
    return a.u ^ b.u;
  case OP_MINSI:
    return (uint64_t)(x < y ? x : y);
  case OP_MAXSI:
    return (uint64_t)(x > y ? x : y);
  default:
    return divide(op, x, y, out_failed);
  }
}

static double float_op(const operation_t *op, double a, double b) {
  switch (op->op) {
  case OP_ADDF:
    return a + b;
  case OP_SUBF:
    return a - b;
  case OP_MULF:
    return a * b;
  case OP_DIVF:
    return a / b;
  case OP_MINNUMF:
    return fmin(a, b);
  default:
    return fmax(a, b);
  }
}

static lane_t cast(const operation_t *op, uint32_t from, lane_t a) {
  lane_t result = a;
  int64_t value = from == TYPE_I1 && op->op != OP_EXTUI ? -a.i : a.i;
  switch (op->op) {
  case OP_EXTUI:
    if (from != TYPE_I64)
      result.u &= (UINT64_C(1) << (8 * program_type_size(from))) - 1;
    break;
  case OP_SITOFP:
    result.f = rounded(op->type, (double)value);
    return result;
  case OP_FPTOSI: // out of range: as on x86
    value = a.f >= -0x1p63 && a.f < 0x1p63 ? (int64_t)a.f : INT64_MIN;
    result.i = value;
    break;
  case OP_EXTF:
  case OP_TRUNCF:
    result.f = rounded(op->type, a.f);
    return result;
  default:
    result.i = value;
  }
  result.i = wrap(op->type, result.u);
  return result;
}

// ---------------------------------------------------------------- faults
static void stop(run_t *run, const operation_t *op, const char *what) {
  const program_t *program = run->program;
  set_fault(run->fault, "%.*s:%u: %s, in program (%u, %u, %u) of kernel '%.*s'",
            (int)(program->file.size > 80 ? 80 : program->file.size),
            program->file.data, op->line, what, run->id[0], run->id[1],
            run->id[2],
            (int)(program->name.size > 40 ? 40 : program->name.size),
            program->name.data);
}

static void print(run_t *run, const operation_t *op, const lane_t *a) {
  uint32_t type = a ? run->program->operations[op->operands[0]].type : 0;
  for (uint32_t i = 0; i < op->lanes; ++i) {
    char value[32] = "";
    if (a && is_float(type))
      snprintf(value, sizeof(value), "%g", a[i].f);
    else if (a)
      snprintf(value, sizeof(value), "%" PRId64, a[i].i);
    // One call for a line, so that lines of several threads are not
    // interleaved.
    printf("pid (%u, %u, %u) idx (%u)%.*s%s\n", run->id[0], run->id[1],
           run->id[2], i, (int)op->text.size,
           op->text.data ? op->text.data : "", value);
  }
}

// ---------------------------------------------------------------- memory
// [access]
// Checks every access: one outside live allocations ends the kernel.
static char *access_memory(run_t *run, const operation_t *op,
                           nereid_address_t address) {
  char what[96];
  uint32_t size = program_type_size(op->type);
  char *found = memory_find(run->memory, address, size, &run->view);
  if (!found) {
    snprintf(what, sizeof(what),
             "a %s of %u bytes at 0x%" PRIx64 " is in no "
             "allocation",
             op->op == OP_LOAD ? "load" : "store", size, address);
    stop(run, op, what);
  }
  return found;
}
// [/access]

static void load(run_t *run, const operation_t *op, lane_t *to,
                 const lane_t *pointers, const lane_t *mask,
                 const lane_t *other) {
  for (uint32_t i = 0; i < op->lanes; ++i) {
    to[i] = other ? other[i] : (lane_t){.u = 0};
    if (mask && !mask[i].i)
      continue;
    const char *from = access_memory(run, op, pointers[i].u);
    if (!from)
      return;
    to[i] = read_value(op->type, from);
  }
}

static void store(run_t *run, const operation_t *op, const lane_t *pointers,
                  const lane_t *values, const lane_t *mask) {
  for (uint32_t i = 0; i < op->lanes; ++i) {
    if (mask && !mask[i].i)
      continue;
    char *to = access_memory(run, op, pointers[i].u);
    if (!to)
      return;
    write_value(op->type, values[i], to);
  }
}

// ---------------------------------------------------------------- step
static void compute(run_t *run, const operation_t *op, lane_t *to,
                    const lane_t *a, const lane_t *b) {
  int32_t failed = 0;
  for (uint32_t i = 0; i < op->lanes; ++i)
    if (is_float(op->type))
      to[i].f = rounded(op->type, float_op(op, a[i].f, b[i].f));
    else
      to[i].i = wrap(op->type, integer_op(op, a[i], b[i], &failed));
  if (failed)
    stop(run, op, "a division by zero");
}

static void check_assertion(run_t *run, const operation_t *op,
                            const lane_t *a) {
  char what[160];
  for (uint32_t i = 0; i < op->lanes; ++i)
    if (!a[i].i) {
      snprintf(what, sizeof(what), "assertion failed: %.*s",
               (int)(op->text.size > 100 ? 100 : op->text.size),
               op->text.data ? op->text.data : "");
      stop(run, op, what);
      return;
    }
}

static void select_lanes(const operation_t *op, uint32_t condition_lanes,
                         lane_t *to, const lane_t *condition, const lane_t *a,
                         const lane_t *b) {
  for (uint32_t i = 0; i < op->lanes; ++i)
    to[i] = condition[condition_lanes == 1 ? 0 : i].i ? a[i] : b[i];
}

static void step(run_t *run, uint32_t index) {
  const operation_t *op = &run->program->operations[index];
  lane_t *to = run->values[index];
  const lane_t *in[3] = {NULL, NULL, NULL};
  for (uint32_t i = 0; i < 3; ++i)
    if (op->operands[i] != PROGRAM_NO_OPERAND)
      in[i] = run->values[op->operands[i]];
  const operation_t *first =
      in[0] ? &run->program->operations[op->operands[0]] : NULL;
  switch (op->op) {
  case OP_ARGUMENT:
    *to = read_value(op->type, run->arguments +
                                   program_argument_offset(
                                       run->program, (uint32_t)op->immediate));
    break;
  case OP_CONSTANT:
    for (uint32_t i = 0; i < op->lanes; ++i)
      to[i].u = is_float(op->type) ? op->immediate
                                   : (uint64_t)wrap(op->type, op->immediate);
    break;
  case OP_GET_PROGRAM_ID:
    to->i = run->id[op->immediate];
    break;
  case OP_GET_NUM_PROGRAMS:
    to->i = run->grid[op->immediate];
    break;
  case OP_MAKE_RANGE:
    for (uint32_t i = 0; i < op->lanes; ++i)
      to[i].i = wrap(op->type, op->immediate + i);
    break;
  case OP_SPLAT:
    for (uint32_t i = 0; i < op->lanes; ++i)
      to[i] = *in[0];
    break;
  case OP_ADDPTR:
    for (uint32_t i = 0; i < op->lanes; ++i)
      to[i].u = in[0][i].u + in[1][i].u * op->immediate;
    break;
  case OP_LOAD:
    load(run, op, to, in[0], in[1], in[2]);
    break;
  case OP_STORE:
    store(run, op, in[0], in[1], in[2]);
    break;
  case OP_CMPI:
  case OP_CMPF:
    for (uint32_t i = 0; i < op->lanes; ++i) {
      lane_t a = in[0][i], b = in[1][i];
      if (first->type == TYPE_I1) {
        a.i = -a.i;
        b.i = -b.i;
      }
      to[i].i = compare(op->immediate, a, b);
    }
    break;
  case OP_SELECT:
    select_lanes(op, first->lanes, to, in[0], in[1], in[2]);
    break;
  case OP_EXTSI:
  case OP_EXTUI:
  case OP_TRUNCI:
  case OP_SITOFP:
  case OP_FPTOSI:
  case OP_EXTF:
  case OP_TRUNCF:
    for (uint32_t i = 0; i < op->lanes; ++i)
      to[i] = cast(op, first->type, in[0][i]);
    break;
  case OP_PRINT:
    print(run, op, in[0]);
    break;
  case OP_ASSERT:
    check_assertion(run, op, in[0]);
    break;
  case OP_RETURN:
    break;
  default:
    compute(run, op, to, in[0], in[1]);
  }
}

// [do_launch]
// ---------------------------------------------------------------- launch
static void run_grid(run_t *run) {
  const program_t *program = run->program;
  for (run->id[2] = 0; run->id[2] < run->grid[2]; ++run->id[2])
    for (run->id[1] = 0; run->id[1] < run->grid[1]; ++run->id[1])
      for (run->id[0] = 0; run->id[0] < run->grid[0]; ++run->id[0])
        for (uint32_t i = 0; i < program->count; ++i) {
          step(run, i);
          if (run->fault->status != NEREID_OK)
            return;
        }
}

void do_launch(const work_t *work, fault_t *fault) {
  const nereid_kernel_t *kernel = work->launch.kernel;
  const program_t *program = kernel->program;
  run_t run = {.program = program,
               .memory = &kernel->state->memory[kernel->device],
               .arguments = work->launch.arguments,
               .grid = work->launch.grid,
               .fault = fault};
  uint64_t total = 0;
  for (uint32_t i = 0; i < program->count; ++i)
    total += program->operations[i].lanes;
  run.lanes = calloc(total, sizeof(lane_t));
  run.values = calloc(program->count, sizeof(lane_t *));
  if (run.lanes && run.values) {
    lane_t *next = run.lanes;
    for (uint32_t i = 0; i < program->count; ++i) {
      run.values[i] = next;
      next += program->operations[i].lanes;
    }
    run_grid(&run);
  } else {
    set_fault(fault, "no memory for the registers of a kernel");
  }
  free(run.values);
  free(run.lanes);
}
// [/do_launch]
