// asynchronous_image_fuzz.cpp - any bytes as an image of the asynchronous
// plugin, or as its list: a program that is written as it was read, or an
// error.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

extern "C" {
#include "program.h"
}

#include <cstdint>
#include <cstdlib>
#include <string>

static std::string written(const program_t *program, bool asImage) {
  std::string bytes;
  nereid_writer_t writer = {};
  writer.struct_size = sizeof writer;
  writer.user = &bytes;
  writer.write = [](const nereid_writer_t *self, const void *data,
                    uint64_t size) -> nereid_status_t {
    static_cast<std::string *>(self->user)
        ->append(static_cast<const char *>(data), size);
    return NEREID_OK;
  };
  nereid_status_t status = asImage ? program_write(program, &writer, nullptr)
                                   : program_print(program, &writer);
  if (status != NEREID_OK)
    std::abort();
  return bytes;
}

// Both forms hold the whole program.
static void checkRoundTrip(const program_t *program) {
  std::string text = written(program, false), image = written(program, true);
  program_t *fromText = nullptr, *fromImage = nullptr;
  if (program_parse({text.data(), text.size()}, &fromText, nullptr) !=
          NEREID_OK ||
      program_read({image.data(), image.size()}, &fromImage, nullptr) !=
          NEREID_OK ||
      written(fromText, true) != image || written(fromImage, false) != text)
    std::abort();
  program_destroy(fromText);
  program_destroy(fromImage);
}

static uint32_t checksum(const std::string &bytes, size_t from) {
  uint32_t hash = 2166136261u;
  for (size_t i = from; i < bytes.size(); ++i)
    hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 16777619u;
  return hash;
}

// With the size and the checksum that it should have, so that a fuzzer gets
// past them.
static std::string repaired(std::string bytes) {
  for (uint32_t i = 0; bytes.size() >= 16 && i < 4; ++i)
    bytes[8 + i] = static_cast<char>(bytes.size() >> (8 * i));
  for (uint32_t i = 0, sum = checksum(bytes, 16 > bytes.size() ? 0 : 16);
       bytes.size() >= 16 && i < 4; ++i)
    bytes[12 + i] = static_cast<char>(sum >> (8 * i));
  return bytes;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string bytes(reinterpret_cast<const char *>(data), size);
  std::string image = repaired(bytes);
  program_t *program = nullptr;
  (void)program_read({bytes.data(), bytes.size()}, &program, nullptr);
  program_destroy(program);
  program = nullptr;
  if (program_read({image.data(), image.size()}, &program, nullptr) ==
      NEREID_OK)
    checkRoundTrip(program);
  program_destroy(program);
  program = nullptr;
  if (program_parse({bytes.data(), bytes.size()}, &program, nullptr) ==
      NEREID_OK)
    checkRoundTrip(program);
  program_destroy(program);
  return 0;
}
