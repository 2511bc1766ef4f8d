"""That check.py finds loops, and in them what is slow."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import pathlib
import tempfile
import unittest

import check
from loops import innermost_loops

# The outer loop calls a function; the last one is entered at its end.
SLOW = """
	.text
kernel:
	movq	8(%rsp), %rax
	xorl	%ecx, %ecx
.LBB0_1:
	callq	outside
	xorl	%edx, %edx
.LBB0_2:
	vaddps	-64(%rsp), %ymm0, %ymm0
	vmovaps	%ymm1, -96(%rsp)
	movq	-8(%rsp), %rbx
	vgatherdps	%ymm2, (%rax,%ymm0,4), %ymm1
	incq	%rdx
	jne	.LBB0_2
	incq	%rcx
	jne	.LBB0_1
.LBB0_3:
	callq	expf@PLT
	decq	%rcx
	jne	.LBB0_3
	jmp	.LBB0_5
.LBB0_4:
	vscatterdps	%zmm1, (%rax,%zmm0,4) {%k1}
	addq	$16, %rcx
.LBB0_5:
	cmpq	%rcx, %rdx
	ja	.LBB0_4
.LBB0_6:
	callq	dot
	decq	%rdx
	jne	.LBB0_6
	retq
dot:
	movq	-8(%rsp), %rax
	leaq	-8(%rsp), %rax
	movl	-64(%rsp,%rax,4), %ecx
	retq
"""


def exceptions(text):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(text)
        file.flush()
        return check.read_exceptions(pathlib.Path(file.name))


def report(text):
    return check.check("slow", "znver4", SLOW, exceptions(text))


class LoopsTest(unittest.TestCase):
    def test_finds_what_innermost_loops_contain(self):
        found = {
            loop.label: {kind: len(what) for kind, what in loop.found().items()}
            for loop in innermost_loops(SLOW)
        }
        self.assertEqual(
            found,
            {
                ".LBB0_2": {"spill": 2, "reload": 1, "gather": 1},
                ".LBB0_3": {"call": 1},
                ".LBB0_5": {"scatter": 1},
            },
        )

    def test_reports_what_has_no_exception(self):
        lines = report("")
        self.assertEqual(len(lines), 5)
        self.assertIn("slow for znver4: 2 x spill in the loop at .LBB0_2 of kernel", lines[0])

    def test_an_exception_is_of_a_kind_a_processor_and_a_number(self):
        self.assertEqual(len(report("slow * spill 2 why")), 4)
        self.assertEqual(len(report("s* znver4 spill 3 why")), 4)
        self.assertEqual(len(report("slow * spill 1 why")), 5)
        self.assertEqual(len(report("slow x86-64-v3 spill 2 why")), 5)
        self.assertEqual(len(report("fast * spill 2 why")), 5)

    def test_one_reload_in_a_long_loop_is_allowed(self):
        body = "\tvaddps\t%ymm0, %ymm1, %ymm1\n"
        loop = "kernel:\n.LBB0_1:\n\tmovq\t-8(%rsp), %rbx\n{}\tdecq\t%rcx\n\tjne\t.LBB0_1\n"
        for length, problems in ((16, 1), (17, 0)):
            text = loop.format(body * length)
            self.assertEqual(len(check.check("long", "znver4", text, [])), problems)

    def test_an_exception_needs_a_reason(self):
        for text in ("slow * spill 2", "slow * spin 2 why"):
            with self.assertRaises(SystemExit):
                exceptions(text)


if __name__ == "__main__":
    unittest.main()
