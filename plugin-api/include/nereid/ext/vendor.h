// nereid/ext/vendor.h - extension "nereid.vendor/1" of a plugin: facts about
// its vendor, for programs that show or use them.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The table is static data and needs no state.

#ifndef NEREID_EXT_VENDOR_H
#define NEREID_EXT_VENDOR_H

#include "../entry.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NEREID_EXT_VENDOR "nereid.vendor/1"

typedef struct nereid_vendor_t {
  uint32_t struct_size;
  uint32_t reserved;
  nereid_string_t vendor_name;           // "acme"
  nereid_string_t device_name;           // of its kind: "acme-npu"
  nereid_string_t device_query_command;  // lists the devices: "acme-smi"
  nereid_string_t dispatch_key;          // of PyTorch: "PrivateUse1"
} nereid_vendor_t;

#ifdef __cplusplus
}
#endif
#endif // NEREID_EXT_VENDOR_H
