# failures.py - what the `triton` plugin reports when the installed Triton fails,
# and that the next compilation succeeds.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import signal
import sys
import threading
import time

import setting
from compile_kernels import Nereid

TARGET = "cuda:sm_90a"
IM2COL = b"""module {
  tt.func public @conv(%x: !ttng.tensordesc_im2col<64x32xf16, #ttg.nvmma_shared<\
{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16, rank = 2}>>) {
    tt.return
  }
}
"""


def workers():
    """The processes that this one has started."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text()
            parent = int(stat.rpartition(")")[2].split()[1])
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue  # it has ended
        if parent == os.getpid() and b"nereid_triton_worker" in command:
            found.append(int(folder.name))
    return found


class Failures:
    def __init__(self, options, has_im2col):
        self.build, self.kernel = options.build, options.kernel
        self.long = options.long  # a kernel that takes half a second
        self.has_im2col = has_im2col
        self.problems = 0

    def expect(self, what, texts, action):
        """`action` fails with all of `texts` in its message."""
        try:
            action()
            message = "it succeeded"
        except RuntimeError as error:
            message = str(error)
        missing = [text for text in texts if text not in message]
        if missing:
            self.problems += 1
            print(f"{what}: no {missing} in: {message}")

    def expect_success(self, nereid, what):
        try:
            nereid.compile(TARGET, self.kernel)
        except RuntimeError as error:
            self.problems += 1
            print(f"after {what}: {error}")

    def with_setting(self, name, value, texts):
        """One compilation in a runtime with an environment variable."""
        os.environ[name] = value
        nereid = Nereid(self.build)
        del os.environ[name]
        self.expect(name, texts, lambda: nereid.compile(TARGET, self.long))
        nereid.close()

    def run(self):
        nereid = Nereid(self.build)
        source = self.kernel.read_bytes()
        _, whole = nereid.compile(TARGET, self.kernel)

        # A stage alone, from the bytes of the stage before, gives the same.
        names = list(whole)
        for before, after in zip(names, names[1:]):
            _, rest = nereid.compile_bytes(TARGET, whole[before], "k", after)
            if any(rest[name] != whole[name] for name in rest):
                self.problems += 1
                print(f"starting at {after} gives other bytes")

        broken = source.replace(b"arith.addf", b"arith.adff", 1)
        line = 1 + source[:source.index(b"arith.addf")].count(b"\n")
        self.expect("an unknown operation",
                    ["stage 'ttir' failed", f"k.ttir:{line}:", "arith.adff"],
                    lambda: nereid.compile_bytes(TARGET, broken, "k.ttir"))
        self.expect_success(nereid, "an unknown operation")

        # Older releases do not know the type.
        refused = ("is a tensor descriptor in im2col mode, expected one in tiled "
                   "mode")
        self.expect("a descriptor in im2col mode",
                    [refused if self.has_im2col else "stage 'ttir' failed"],
                    lambda: nereid.compile_bytes(TARGET, IM2COL, "k.ttir"))

        ptx = whole["ptx"].replace(b"ld.param.b", b"ld.nonsense.b", 1).replace(
            b"ld.param.u", b"ld.nonsense.u", 1)
        self.expect("PTX that is none",
                    ["stage 'cubin' failed", "the PTX assembler failed",
                     "input.ptx, line", "nonsense"],
                    lambda: nereid.compile_bytes(TARGET, ptx, "k", "cubin"))
        self.expect_success(nereid, "PTX that is none")

        self.expect("text without its line", ["does not end with a line"],
                    lambda: nereid.compile_bytes(
                        TARGET, b"// ptx\n", "k", "cubin"))

        # A worker that is killed while it compiles. One that was killed just
        # before is replaced, so several times.
        for _ in range(20):
            thread = threading.Thread(
                target=lambda: (time.sleep(0.05), [
                    os.kill(pid, signal.SIGKILL) for pid in workers()]))
            thread.start()
            try:
                nereid.compile(TARGET, self.long)
                message = ""
            except RuntimeError as error:
                message = str(error)
            thread.join()
            if message:
                break
        if "it was killed with signal 9" not in message:
            self.problems += 1
            print(f"a worker that is killed: {message}")
        self.expect_success(nereid, "a worker that is killed")
        nereid.close()
        if workers():
            self.problems += 1
            print("workers are left after the runtime")

        self.with_setting("NEREID_TRITON_TIME_LIMIT", "1",
                          ["it did not answer within 1 ms"])
        return 1 if self.problems else 0


def main():
    options = setting.arguments(kernel=pathlib.Path, long=pathlib.Path)
    with setting.own_cache():
        has_im2col = any(
            b"TensorDescIm2Col" in library.read_bytes() for library in
            options.python.parent.parent.glob("lib/*/site-packages/triton/_C/libtriton.so"))
        return Failures(options, has_im2col).run()


if __name__ == "__main__":
    sys.exit(main())
