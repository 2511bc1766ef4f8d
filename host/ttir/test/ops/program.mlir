// Functions, the grid, printing, asserting and assuming.
// RUN: nereid-opt %s | FileCheck %s
// RUN: nereid-opt -mlir-print-op-generic %s | nereid-opt | FileCheck %s
// RUN: nereid-opt -emit-bytecode %s | nereid-opt | FileCheck %s

// CHECK-LABEL: tt.func public @kernel(
// CHECK-SAME: %{{.*}}: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %{{.*}}: i32) attributes {noinline = false} {
tt.func public @kernel(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) attributes {noinline = false} {
  // CHECK: tt.get_program_id y : i32
  %0 = tt.get_program_id y : i32
  // CHECK: tt.get_num_programs z : i32
  %1 = tt.get_num_programs z : i32
  // CHECK: tt.call @"m.f__i32(2,)"(%{{.*}}) : (i32) -> (f32, i32)
  %2:2 = tt.call @"m.f__i32(2,)"(%n) : (i32) -> (f32, i32)
  // CHECK: tt.call @m.nothing() : () -> ()
  tt.call @m.nothing() : () -> ()
  // CHECK: tt.print "hi" {hex = false, isSigned = array<i32>}
  tt.print "hi" {hex = false, isSigned = array<i32>}
  // CHECK: tt.print " x: " {hex = true, isSigned = array<i32: 1, 0>} : %{{.*}}, %{{.*}} : i32, f32
  tt.print " x: " {hex = true, isSigned = array<i32: 1, 0>} : %2#1, %2#0 : i32, f32
  // CHECK: %[[C:.*]] = arith.cmpi
  %3 = arith.cmpi sgt, %n, %0 : i32
  // CHECK: tt.assert %[[C]], "n > pid" : i1
  tt.assert %3, "n > pid" : i1
  // CHECK: llvm.intr.assume %[[C]] : i1
  llvm.intr.assume %3 : i1
  // CHECK: gpu.barrier
  gpu.barrier
  // CHECK: ttg.barrier local|global_read
  ttg.barrier local|global_read
  // CHECK: ttg.barrier all
  ttg.barrier all
  // CHECK: ttg.barrier none
  ttg.barrier none
  tt.return
}

// CHECK-LABEL: tt.func private @"m.f__i32(2,)"(
// CHECK-SAME: -> (f32, i32) attributes {noinline = true}
tt.func private @"m.f__i32(2,)"(%a: i32) -> (f32, i32) attributes {noinline = true} {
  %0 = arith.sitofp %a : i32 to f32
  // CHECK: tt.return %{{.*}}, %{{.*}} : f32, i32
  tt.return %0, %a : f32, i32
  // CHECK: ^bb1: // no predecessors
^bb1:
  // CHECK: ub.poison : f32
  %1 = ub.poison : f32
  tt.return %1, %a : f32, i32
}

// CHECK-LABEL: tt.func private @m.nothing()
tt.func private @m.nothing() {
  tt.return
}
