"""Devices that torch works on too: the current device and the current stream are
torch's, as in Triton's own driver, so that a kernel runs where and when the
program's tensors are."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from typing import Any


class CudaDevices:
    """torch.cuda. A stream is its CUstream, the kind "cuda.stream"."""

    STREAM_KIND = "cuda.stream"
    HOME = "is_cuda"

    def __init__(self, torch: Any) -> None:
        self.current_device = torch.cuda.current_device
        self.set_current_device = torch.cuda.set_device
        self.current_stream = torch._C._cuda_getCurrentRawStream


def find(device_type: str) -> CudaDevices | None:
    """None if torch is not installed or does not work on devices of this type."""
    if device_type != "cuda":
        return None
    try:
        import torch
    except ImportError:
        return None
    # A torch for AMD's GPUs calls them "cuda" as well.
    if torch.version.cuda is None or not torch.cuda.is_available():
        return None
    return CudaDevices(torch)
