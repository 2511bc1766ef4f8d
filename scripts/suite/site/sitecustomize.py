"""For children of Triton's tests: a CUDA that is not there has nothing to wait
for. test_debug.py synchronises it whatever the device is.
"""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import importlib.abc
import importlib.machinery
import sys


class _AfterTorchCuda(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name != "torch.cuda":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            if not module.is_available():
                module.synchronize = lambda device=None: None

        spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, _AfterTorchCuda())
