// signature.c - reads a kernel's name and arguments from the text of its TTIR.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A scanner, not a parser: it recognizes words, strings, comments and brackets,
// which is enough to find functions and to skip attributes.

#include "signature.h"
#include "extension.h"

#include <ctype.h>
#include <string.h>

typedef struct scanner_t {
  const char *begin;
  const char *at;
  const char *end;
  const nereid_call_t *call;
} scanner_t;

// Fails at `place`. Line and column are computed here, for errors only.
static nereid_status_t fail(const scanner_t *in, const char *place,
                            const char *message, nereid_string_t found) {
  uint32_t line = 1, column = 1;
  for (const char *c = in->begin; c < place; ++c) {
    ++column;
    if (*c == '\n') {
      ++line;
      column = 1;
    }
  }
  if (!found.size)
    return extension_fail_at(in->call, line, column, "%s", message);
  return extension_fail_at(in->call, line, column, "%s, found '%.*s'", message,
                           found.size > 80 ? 80 : (int)found.size, found.data);
}

// ---------------------------------------------------------------- words
static int32_t is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

static int32_t is_one_of(char c, const char *set) {
  return c && strchr(set, c);
}

static void skip_string(scanner_t *in) {
  for (++in->at; in->at < in->end && *in->at != '"'; ++in->at)
    if (*in->at == '\\' && in->at + 1 < in->end)
      ++in->at;
  if (in->at < in->end)
    ++in->at;
}

static void skip_space(scanner_t *in) {
  while (in->at < in->end) {
    if (isspace((unsigned char)*in->at)) {
      ++in->at;
    } else if (in->end - in->at > 1 && in->at[0] == '/' && in->at[1] == '/') {
      while (in->at < in->end && *in->at != '\n')
        ++in->at;
    } else {
      return;
    }
  }
}

// The next word, after spaces; empty if the text continues with anything else.
static nereid_string_t take_word(scanner_t *in) {
  skip_space(in);
  const char *begin = in->at;
  while (in->at < in->end && is_word(*in->at))
    ++in->at;
  return (nereid_string_t){begin, (uint64_t)(in->at - begin)};
}

static int32_t take_char(scanner_t *in, char c) {
  skip_space(in);
  if (in->at == in->end || *in->at != c)
    return 0;
  ++in->at;
  return 1;
}

// Skips to the next of `stops` outside brackets and strings.
static void skip_to(scanner_t *in, const char *stops) {
  uint32_t depth = 0;
  for (skip_space(in); in->at < in->end; skip_space(in)) {
    char c = *in->at;
    if (c == '"') {
      skip_string(in);
      continue;
    }
    if (!depth && is_one_of(c, stops))
      return;
    if (is_one_of(c, "([{<"))
      ++depth;
    else if (depth && is_one_of(c, ")]}>"))
      --depth;
    ++in->at;
  }
}

// ---------------------------------------------------------------- arguments
// The element type of a pointer: "f32" of "!tt.ptr<f32, 1>".
static nereid_string_t take_pointee(scanner_t *in) {
  nereid_string_t none = {NULL, 0};
  nereid_string_t word = take_word(in);
  if (!extension_equal(word, "tt.ptr") || !take_char(in, '<'))
    return none;
  word = take_word(in);
  skip_to(in, ">");
  return take_char(in, '>') ? word : none;
}

static nereid_status_t take_type(scanner_t *in,
                                 extension_argument_t *argument) {
  skip_space(in);
  const char *begin = in->at;
  uint32_t stars = take_char(in, '!') ? 1 : 0;
  nereid_string_t word = stars ? take_pointee(in) : take_word(in);
  if (word.size && word.size + stars < sizeof(argument->type)) {
    memcpy(argument->type, "*", stars);
    memcpy(argument->type + stars, word.data, word.size);
    argument->size = extension_type_size(
        (nereid_string_t){argument->type, word.size + stars});
  }
  if (argument->size)
    return NEREID_OK;
  in->at = begin;
  skip_to(in, ",){"); // stops at attributes, which are not part of the message
  return fail(in, begin,
              "expected a pointer to a number, an integer or a float",
              (nereid_string_t){begin, (uint64_t)(in->at - begin)});
}

static nereid_status_t take_arguments(scanner_t *in, extension_image_t *image) {
  nereid_string_t none = {NULL, 0};
  if (!take_char(in, '('))
    return fail(in, in->at, "expected '(' after the function's name", none);
  if (take_char(in, ')'))
    return NEREID_OK;
  do {
    if (image->argument_count == EXTENSION_MAX_ARGUMENTS)
      return fail(in, in->at, "too many arguments, expected at most 256", none);
    extension_argument_t *argument = &image->arguments[image->argument_count++];
    if (!take_char(in, '%'))
      return fail(in, in->at, "expected an argument, '%name: type'", none);
    argument->name = take_word(in);
    if (!take_char(in, ':'))
      return fail(in, in->at, "expected ':' after the argument's name", none);
    nereid_status_t status = take_type(in, argument);
    if (status != NEREID_OK)
      return status;
    skip_to(in, ",)"); // attributes and location
  } while (take_char(in, ','));
  if (!take_char(in, ')'))
    return fail(in, in->at, "expected ')' after the arguments", none);
  return NEREID_OK;
}

// ---------------------------------------------------------------- functions
static nereid_string_t take_symbol(scanner_t *in) {
  nereid_string_t none = {NULL, 0};
  if (!take_char(in, '@'))
    return none;
  if (in->at == in->end || *in->at != '"')
    return take_word(in);
  const char *begin = in->at + 1;
  skip_string(in);
  return (nereid_string_t){begin, (uint64_t)(in->at - begin - 1)};
}

// Reads a function, after its keyword. Without a visibility it is public.
static nereid_status_t take_function(scanner_t *in, extension_image_t *image) {
  nereid_string_t none = {NULL, 0};
  nereid_string_t visibility = take_word(in);
  if (extension_equal(visibility, "private") ||
      extension_equal(visibility, "nested"))
    return NEREID_OK;
  const char *place = in->at;
  nereid_string_t name = take_symbol(in);
  if (!name.size || name.size > EXTENSION_MAX_NAME)
    return fail(in, place, "expected the function's name, '@name'", none);
  if (image->name.size)
    return fail(in, place, "expected one public function", name);
  image->name = name;
  return take_arguments(in, image);
}

// Skips to the next word.
static nereid_string_t next_word(scanner_t *in) {
  for (skip_space(in); in->at < in->end; skip_space(in)) {
    char c = *in->at;
    if (c == '"')
      skip_string(in);
    else if (is_word(c))
      return take_word(in);
    else
      ++in->at;
    while (is_one_of(c, "@%#!^") && in->at < in->end && is_word(*in->at))
      ++in->at; // the name of a value or symbol may be any word
  }
  return (nereid_string_t){NULL, 0};
}

nereid_status_t extension_signature_read(nereid_string_t text,
                                         extension_image_t *out_image,
                                         const nereid_call_t *call) {
  if (text.size >= 4 && memcmp(text.data, "ML\xefR", 4) == 0)
    return extension_fail(call, NEREID_UNIMPLEMENTED,
                          "the module is MLIR bytecode, expected text");
  if (!text.size)
    text.data = ""; // null is legal if the size is 0
  scanner_t in = {text.data, text.data, text.data + text.size, call};
  extension_image_t image = {.argument_count = 0};
  for (;;) {
    nereid_string_t word = next_word(&in);
    if (!word.size)
      break;
    if (!extension_equal(word, "tt.func"))
      continue;
    nereid_status_t status = take_function(&in, &image);
    if (status != NEREID_OK)
      return status;
  }
  if (!image.name.size)
    return fail(&in, in.end, "expected a public function, 'tt.func @name'",
                (nereid_string_t){NULL, 0});
  extension_image_place(&image);
  *out_image = image;
  return NEREID_OK;
}
