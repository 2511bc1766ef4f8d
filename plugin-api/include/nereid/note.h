// nereid/note.h - the ELF note that a host reads before any code of a plugin
// runs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A plugin writes NEREID_PLUGIN_NOTE("acme", "1.2.0") once, at file scope, or
// is built with nereid_add_plugin(), which adds it. A file holds one plugin, so
// there is exactly one note.
//
// Layout: an ELF note of owner "nereid" and type NEREID_NOTE_TYPE in a section
// ".note.nereid". Its description is nereid_note_t; all fields in the byte order
// of the machine. Later versions only append to it.

#ifndef NEREID_NOTE_H
#define NEREID_NOTE_H

#include "base.h"

#define NEREID_NOTE_OWNER "nereid"
#define NEREID_NOTE_TYPE 1

// Which sanitizer a library was built with. A host built with another one
// refuses it: both would crash.
enum {
  NEREID_SANITIZER_NONE = 0,
  NEREID_SANITIZER_ADDRESS = 1,
  NEREID_SANITIZER_THREAD = 2,
  NEREID_SANITIZER_MEMORY = 3
};

typedef struct nereid_note_t {
  uint32_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;       // the highest minor that the plugin speaks
  uint32_t abi_revision;    // of a provisional major; must equal the host's
  uint32_t min_host_minor;  // the lowest host minor that it works with
  uint32_t sanitizer;
  char id[64];              // the plugin's id, padded with NUL
  char machine[16];         // "x86_64", "aarch64", ..., padded with NUL
  char build_id[64];        // if empty, the linker's build id is used
} nereid_note_t;

// The lowest host minor that a plugin needs; define it before this header to
// use later slots without checking for them.
#ifndef NEREID_PLUGIN_MIN_HOST_MINOR
#define NEREID_PLUGIN_MIN_HOST_MINOR 0
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NEREID_NOTE_SANITIZER 1
#elif __has_feature(thread_sanitizer)
#define NEREID_NOTE_SANITIZER 2
#elif __has_feature(memory_sanitizer)
#define NEREID_NOTE_SANITIZER 3
#endif
#endif
#if !defined(NEREID_NOTE_SANITIZER) && defined(__SANITIZE_ADDRESS__)
#define NEREID_NOTE_SANITIZER 1
#elif !defined(NEREID_NOTE_SANITIZER) && defined(__SANITIZE_THREAD__)
#define NEREID_NOTE_SANITIZER 2
#elif !defined(NEREID_NOTE_SANITIZER)
#define NEREID_NOTE_SANITIZER 0
#endif

#if defined(__x86_64__)
#define NEREID_NOTE_MACHINE "x86_64"
#elif defined(__aarch64__)
#define NEREID_NOTE_MACHINE "aarch64"
#elif defined(__riscv) && __riscv_xlen == 64
#define NEREID_NOTE_MACHINE "riscv64"
#elif defined(__loongarch64)
#define NEREID_NOTE_MACHINE "loongarch64"
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define NEREID_NOTE_MACHINE "ppc64le"
#elif defined(__s390x__)
#define NEREID_NOTE_MACHINE "s390x"
#else
#define NEREID_NOTE_MACHINE "unknown"
#endif

#define NEREID_NOTE_TEXT_(x) #x
#define NEREID_NOTE_TEXT(x) NEREID_NOTE_TEXT_(x)

// Assembler, because C cannot create a section of type NOTE. The "R"
// flag is left out on purpose: linkers keep notes.
#define NEREID_PLUGIN_NOTE(id, build_id)                                       \
  __asm__(".pushsection .note.nereid,\"a\"\n"                                  \
          ".balign 4\n"                                                        \
          ".long 7\n"                                                          \
          ".long 1f - 0f\n"                                                    \
          ".long " NEREID_NOTE_TEXT(NEREID_NOTE_TYPE) "\n"                     \
          ".asciz \"" NEREID_NOTE_OWNER "\"\n"                                 \
          ".balign 4\n"                                                        \
          "0: .long 1f - 0b\n"                                                 \
          ".long " NEREID_NOTE_TEXT(NEREID_ABI_MAJOR) "\n"                     \
          ".long " NEREID_NOTE_TEXT(NEREID_ABI_MINOR) "\n"                     \
          ".long " NEREID_NOTE_TEXT(NEREID_ABI_REVISION) "\n"                  \
          ".long " NEREID_NOTE_TEXT(NEREID_PLUGIN_MIN_HOST_MINOR) "\n"         \
          ".long " NEREID_NOTE_TEXT(NEREID_NOTE_SANITIZER) "\n"                \
          "2: .ascii \"" id "\"\n"                                             \
          ".org 2b + 64, 0\n"                                                  \
          "3: .ascii \"" NEREID_NOTE_MACHINE "\"\n"                            \
          ".org 3b + 16, 0\n"                                                  \
          "4: .ascii \"" build_id "\"\n"                                       \
          ".org 4b + 64, 0\n"                                                  \
          "1:\n"                                                               \
          ".popsection\n")

#endif // NEREID_NOTE_H
