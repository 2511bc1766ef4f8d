"""The backend "cpu" of Triton, which torch.compile asks for by that name.

Triton imports `nereid.triton.cpu.compiler` and `nereid.triton.cpu.driver` because of
this package's second entry point. It never chooses them itself: kernels for a CPU are
those of the backend "nereid".
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
