// signature.h - reads a kernel's name and arguments from the text of its TTIR.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_EXTENSION_SIGNATURE_H
#define NEREID_EXTENSION_SIGNATURE_H

#include "image.h"

// Finds the one public `tt.func @name(%x: type, ...)` in `text` and fills in
// the name, the arguments and the layout of their block. Names point into
// `text`. Does not read function bodies.
nereid_status_t extension_signature_read(nereid_string_t text,
                                         extension_image_t *out_image,
                                         const nereid_call_t *call);

#endif // NEREID_EXTENSION_SIGNATURE_H
