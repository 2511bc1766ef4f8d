// Unsupported operations and types are errors with their location.
// RUN: split-file %s %t
// RUN: not nereid compile %t/asm.mlir --target cpu 2>&1 | FileCheck %s --check-prefix=ASM
// RUN: not nereid compile %t/width.mlir --target cpu 2>&1 | FileCheck %s --check-prefix=WIDTH

//--- asm.mlir
// ASM: asm.mlir (ttir):3:8: 'tt.elementwise_inline_asm' is not supported by the cpu backend in stage llir
tt.func public @kernel(%p: !tt.ptr<i32>, %x: i32) {
  %0 = tt.elementwise_inline_asm "mov.u32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  tt.store %p, %0 : !tt.ptr<i32>
  tt.return
}

//--- width.mlir
// WIDTH: width.mlir (ttir):3:8: 'tt.load' has the result type 'i4'; the cpu backend supports integers of 1, 8, 16, 32 and 64 bits
tt.func public @kernel(%p: !tt.ptr<i4>, %q: !tt.ptr<i4>) {
  %0 = tt.load %p : !tt.ptr<i4>
  tt.store %q, %0 : !tt.ptr<i4>
  tt.return
}
