"""Tests of the generator of random kernels, without a device."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from functools import partial

import packages

packages.require("numpy")
import numpy as np

import accesses
import arithmetic
import check
import elements as E
import reduce
import reference
from generate import generate
from ir import Block, Buffer, Kernel


class ReferenceAsDevice:
    """A device that computes as the reference does, with faults of its own."""

    class native:
        Error = RuntimeError

    is_ordered = True

    def __init__(self, faults=()):
        self.faults = dict(faults)  # {operation of _EVALUATE: function}

    def run(self, kernel, text, options, memory):
        saved = {name: reference._EVALUATE[name] for name in self.faults}
        reference._EVALUATE.update(self.faults)
        try:
            return check.expected(kernel, memory)[0]
        finally:
            reference._EVALUATE.update(saved)


def first_element_wins(self, op, operands, values):
    """A store that performs its elements in the wrong order."""
    turned = [np.broadcast_to(x, operands[0].shape).reshape(-1)[::-1] for x in operands]
    return accesses._store(self, op, turned, values)


def ignores_masks(self, op, operands, values):
    where = np.ones(operands[0].shape, bool)
    return accesses._load(self, op, [operands[0]] if len(operands) < 2 else [operands[0], where], values)


def differing(device, seeds) -> int:
    """How many kernels the check calls wrong, or cannot run."""
    count = 0
    for seed in seeds:
        try:
            count += bool(check.check(device, generate(seed), [("faulty", {})]))
        except reference.OutOfBounds:
            count += 1
    return count


class PackageTest(unittest.TestCase):
    def test_a_missing_package_is_named_and_skips_the_tests(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "numpy.py").write_text("raise ImportError('not installed')\n")
            for command in (["run.py", "--seeds", "0"], ["-m", "unittest", "generator_test"]):
                run = subprocess.run(
                    [sys.executable, *command],
                    cwd=os.path.dirname(os.path.abspath(__file__)),
                    env=dict(os.environ, PYTHONPATH=folder),
                    capture_output=True,
                    text=True,
                )
                self.assertEqual(run.returncode, packages.SKIPPED, run.stderr)
                self.assertIn("skipped: package numpy is missing (not installed)", run.stdout)


class GeneratorTest(unittest.TestCase):
    def test_the_same_seed_makes_the_same_kernel_in_every_process(self):
        texts = set()
        for hash_seed in ("1", "2"):
            run = subprocess.run(
                [sys.executable, "run.py", "--print", "--seeds", "0:20"],
                cwd=os.path.dirname(os.path.abspath(__file__)),
                env=dict(os.environ, PYTHONHASHSEED=hash_seed),
                check=True,
                capture_output=True,
            )
            texts.add(run.stdout)
        self.assertEqual(len(texts), 1)
        self.assertGreater(len(texts.pop()), 10000)

    def test_kernels_stay_inside_their_buffers(self):
        for seed in range(120):
            kernel = generate(seed)
            check.expected(kernel, check.memory_of(kernel))  # or OutOfBounds

    def test_every_kind_of_operation_is_generated(self):
        kinds, names = set(), set()

        def visit(block):
            for op in block.ops:
                kinds.add(op.kind)
                names.add(op.attributes.get("name"))
                for region in op.regions:
                    visit(region)

        for seed in range(600):
            kernel = generate(seed)
            visit(kernel.body)
            for function in kernel.functions:
                visit(function.body)
        self.assertEqual(set(reference._EVALUATE) - kinds, set())
        self.assertEqual(set(arithmetic.BINARY) - names, set())

    def test_a_right_device_has_no_differences(self):
        self.assertEqual(differing(ReferenceAsDevice(), range(50)), 0)

    def test_faults_of_a_device_are_found(self):
        swapped = lambda self, op, x, _: [np.where(x[0], x[2], x[1])]  # noqa: E731
        for name, fault in (
            ("store", first_element_wins),
            ("load", ignores_masks),
            ("select", swapped),
            ("scan", lambda self, op, x, _: list(x)),
        ):
            with self.subTest(name):
                self.assertGreater(differing(ReferenceAsDevice({name: fault}), range(100)), 3)


class CompareTest(unittest.TestCase):
    def setUp(self):
        data = np.array([0, 1, 2, 3], np.float32)
        self.buffer = Buffer(E.F32, data, start=256)
        self.kernel = Kernel(0, [], [self.buffer], Block(), [])
        self.memory = check.memory_of(self.kernel)

    def changed(self, at, value):
        out = self.memory.copy()
        out[at] = value
        return check.compare(self.kernel, out, self.memory)

    def test_equal_memory_has_no_difference(self):
        self.assertEqual(check.compare(self.kernel, self.memory.copy(), self.memory), "")

    def test_the_first_differing_element_is_reported(self):
        self.assertIn("first in [1]", self.changed(256 + 6, 0))

    def test_a_write_outside_of_the_buffers_is_found(self):
        self.assertIn("outside of every buffer", self.changed(255, 0))
        self.assertIn("outside of every buffer", self.changed(256 + 16, 0))

    def test_the_sign_of_a_zero_counts_where_the_kernel_makes_no_negative_one(self):
        self.assertIn("first in [0]", self.changed(256 + 3, 0x80))
        self.buffer.signed_zero = True
        self.assertEqual(self.changed(256 + 3, 0x80), "")


class ReduceTest(unittest.TestCase):
    def test_what_differs_remains_and_little_else(self):
        make = partial(generate, 5)

        def ops(path):
            return [op.kind for block in reduce.blocks_of(reduce.Step(make, path).kernel) for op in block.ops]

        path = []
        while reduce.remove_once(make, path, lambda path: "store" in ops(path), lambda op: True):
            pass
        self.assertGreater(len(ops([])), 20)
        self.assertEqual(ops(path).count("store"), 1)
        self.assertLess(len(ops(path)), 5)


class ElementTest(unittest.TestCase):
    def test_every_pattern_of_eight_bits_is_a_value(self):
        codes = np.arange(256).astype(np.uint8)
        for element in E.EIGHT_BIT_FLOATS:
            values = E.decode(codes, element)
            np.testing.assert_array_equal(E.decode(E.encode(values, element), element), values)

    def test_rounding_takes_the_nearest_number_and_of_two_the_even_one(self):
        for element in E.EIGHT_BIT_FLOATS:
            numbers = E.decode(np.arange(127).astype(np.uint8), element)
            numbers = numbers[np.isfinite(numbers)].astype(np.float64)
            middle = (numbers[:-1] + numbers[1:]) / 2
            even = np.where(np.arange(len(middle)) % 2, numbers[1:], numbers[:-1])
            for x, want in (
                (middle, even),
                (middle * (1 - 1e-9), numbers[:-1]),
                (middle * (1 + 1e-9), numbers[1:]),
                (-1e9, -numbers[-1]),
            ):
                np.testing.assert_array_equal(E.rounded(np.asarray(x), element), want)
            self.assertTrue((E.rounded(numbers[1:] * (1 - 1e-9), element, True) == numbers[:-1]).all())

    def test_rounding_is_that_of_numpy_where_numpy_has_the_type(self):
        random = np.random.default_rng(1)
        values = random.normal(size=5000) * np.exp2(random.integers(-160, 140, 5000))
        with np.errstate(over="ignore"):
            for element in (E.F16, E.F32):
                np.testing.assert_array_equal(E.rounded(values, element), values.astype(element.value))

    def test_what_memory_holds_decodes_to_what_was_encoded(self):
        for element in E.IN_MEMORY:
            most = min(element.exact, 2048) if element.is_float else 100
            values = np.arange(-most, most + 1).astype(element.value)
            again = E.decode(E.encode(values, element), element)
            np.testing.assert_array_equal(again, values, element.name)


if __name__ == "__main__":
    unittest.main()
