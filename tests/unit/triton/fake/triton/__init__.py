# A stand-in for Triton, with the few names that the worker uses. What a kernel
# does to its compiler is written in the kernel: see _C/libtriton.py.
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import os

__version__ = "3.6.0"
__version__ = os.environ.get("TRITON_FAKE_VERSION", __version__)
