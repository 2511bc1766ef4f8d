"""Why rows miss their goal, where that is known. Each was found with a profile."""
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

from dataclasses import dataclass


@dataclass(frozen=True)
class Reason:
    rows: tuple  # of rows' names, any part of one
    why: str
    threads: tuple = (1, 1 << 30)  # fewest and most for which it holds
    vendor: str = ""  # a part of the processor's name; all processors if empty

    def holds(self, row, run):
        fewest, most = self.threads
        return (
            any(part in row["name"] for part in self.rows)
            and fewest <= run["threads"] <= most
            and self.vendor in run["machine"]["cpu"]
        )


REASONS = (
    Reason(
        ("attention 8x1024x64 bf16", "attention 8x2048x128 bf16"),
        "three fifths of the time are in products of bf16, at 0.6 to 0.8 times the rate of square "
        "ones: their depth is 64 or 128, and sums come from the second cache; two fifths are exp2, "
        "its sums and maxima, and rounding to bf16",
        threads=(1, 16),
        vendor="Intel",
    ),
    Reason(
        ("conv2d",),
        "two thirds to three quarters of the time are in the product; in the rest pixels and "
        "filters are copied to scratch, pixels once for each block of filters",
        threads=(1, 1),
    ),
    Reason(
        ("channel sums",),
        "all of the time is in the kernel, which copies each tile to scratch before it adds its "
        "elements, because they might be where the sums are, and divides the index for its pieces",
    ),
    Reason(
        ("attention 8x1024x64 f32", "attention 8x2048x128 f32"),
        "75 to 85 % of the time is in products, which run as fast as those of square matrices; the "
        "rest is softmax",
        vendor="Intel",
    ),
    Reason(
        ("1024x1024x1024 f32, block 64", "2048x2048x2048 f32, block 64"),
        "the left operand comes from the third cache again for each 64 columns: 512 x 512 x 512, "
        "where it stays in the second one, ran at 92 % of the FMA peak in one run, these at 89 "
        "and 82 %. In another run 2048 was 1.1 times as fast where all rows of one operand, either, "
        "had one address, and 1.2 times where those of both had",
        vendor="Intel",
    ),
    Reason(
        tuple(f"{op} {n}x{n}x{n} f32, block 128" for op in ("matmul", "linear") for n in (1024, 2048)),
        "256 x 256 x 256, whose operands stay in the second cache, ran at 97 % of the FMA peak in "
        "one run, these at 90 %: operands come from the third cache or memory",
        threads=(1, 1),
        vendor="Intel",
    ),
    Reason(
        ("bf16, block 64", "i8, block 64"),
        "a program packs the right operand for 64 rows alone, which takes 5 to 8 % of the time: at "
        "512 and 2048, blocks of 128 ran 1.1 to 1.2 times as fast in one run",
        threads=(1, 1),
        vendor="Intel",
    ),
    Reason(
        ("128x128x128 f32, block 64", "256x256x256 f32, block 64"),
        "4 and 16 programs of some ten microseconds: threads wait for others for a fifth to a "
        "quarter of the time",
        threads=(8, 8),
        vendor="Intel",
    ),
    Reason(
        ("split-k",),
        "rows of the operands are 64 KiB apart and would evict each other from a set of the "
        "first cache: copying them, once for programs with the same rows or columns, takes a "
        "sixth of the time, atomic additions 6 %",
    ),
    Reason(
        ("linear 16x4096x4096 f32",),
        "pieces of 512 bytes of columns that are pages apart are copied and packed: half of the "
        "time is the latency of memory",
    ),
    Reason(
        ("linear 16x4096x4096 bf16",),
        "pieces of 256 bytes of columns that are pages apart are copied and packed: half of the "
        "time is the latency of memory",
        vendor="AMD",
    ),
    Reason(
        ("matmul 16x4096x4096 bf16",),
        "rows are multiplied as f32, which needs no packing: the multiply-adds of f32 bound it",
    ),
    Reason(
        ("linear 128x128x128 f32, block 128", "256x256x256 f32, block 128"),
        "one program, or four: each thread has a part of 16 to 32 rows, and to copy the right "
        "operand for it takes 0.4 times as long as to multiply them",
        threads=(8, 1 << 30),
    ),
    Reason(
        ("x781",),
        "rows are not aligned, so that vectors cross cache lines: 1024 columns, which are, run "
        "at 1.4 times the rate",
    ),
    Reason(
        ("bmm", "grouped"),
        "on a Zen 5 the peers run at 76 to 87 % of what the multiply-adds allow, and these "
        "products at 82 to 91: 1.2 times the best of them is more than any product reaches",
        threads=(1, 2),
    ),
    Reason(
        ("i8, block",),
        "`vpdpbusd` multiplies unsigned by signed bytes: to sum the rows of the left operand, "
        "which are subtracted, takes 6 % of the time in blocks of 64, and 3 % in blocks of 128",
        vendor="AMD",
    ),
    Reason(
        ("sine",),
        "nearly all of the time is the arithmetic of the sine",
    ),
)


def of(row, run):
    """Why this row of the run may miss its goal; empty if that is not known."""
    return "; ".join(reason.why for reason in REASONS if reason.holds(row, run))
