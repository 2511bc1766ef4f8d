// A deferred dot reads its left operand where it is in memory as long as all
// masks are true and `offs % M` does not wrap, or `tl.where(offs < M, offs, 0)`
// clamps none. Programs with the same columns of the right operand share its
// panels.
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=x86-64-v3 -O fast_paths=all,-dot-in-place,-dot-shared --stop-after llir -o - | FileCheck %s --check-prefix=COPY
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=znver4 --stop-after asm -o %t.s
// RUN: nereid compile %s --target cpu -O arch=aarch64 -O cpu=neoverse-n1 --stop-after asm -o %t.s

// The results are the same, for sizes that end in the middle of tiles and of
// deferred iterations, and more programs than one for each panel.
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 12 f32[150,456]=random:1:-8:8 f32[456,230]=random:2:-8:8 f32[150,230]=zeros i32=150 i32=230 i32=456 i32=456 i32=230 i32=230 --save 2=%t.npy
// RUN: env NEREID_CPU_THREADS=1 NEREID_CPU_POISON_SCRATCH=0 nereid run %s --target cpu --grid 12 f32[150,456]=random:1:-8:8 f32[456,230]=random:2:-8:8 f32[150,230]=zeros i32=150 i32=230 i32=456 i32=456 i32=230 i32=230 --expect 2=%t.npy,0,0
// RUN: env NEREID_CPU_THREADS=1 NEREID_CPU_POISON_SCRATCH=0 nereid run %s --target cpu -O fast_paths=all,-dot-in-place --grid 12 f32[150,456]=random:1:-8:8 f32[456,230]=random:2:-8:8 f32[150,230]=zeros i32=150 i32=230 i32=456 i32=456 i32=230 i32=230 --expect 2=%t.npy,0,0
// RUN: sed 's/^  %%\(21\|26\) = arith.remsi \(%%[0-9]*\), \(%%[0-9]*\) : .*/  %%none\1 = arith.constant dense<0> : tensor<64xi32>\n  %%below\1 = arith.cmpi slt, \2, \3 : tensor<64xi32>\n  %%\1 = arith.select %%below\1, \2, %%none\1 : tensor<64xi1>, tensor<64xi32>/' %s > %t.clamped.mlir
// RUN: nereid compile %t.clamped.mlir --target cpu -O arch=x86_64 -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: env NEREID_CPU_THREADS=1 NEREID_CPU_POISON_SCRATCH=0 nereid run %t.clamped.mlir --target cpu --grid 12 f32[150,456]=random:1:-8:8 f32[456,230]=random:2:-8:8 f32[150,230]=zeros i32=150 i32=230 i32=456 i32=456 i32=230 i32=230 --expect 2=%t.npy,0,0

// CHECK: tile program @matmul_kernel
// CHECK: [32x64] f32 x8 x32 in panels of 16 at
// CHECK: dot {{.*}} every 8 prefetch {{.*}}, left in place, right in place up to 6 rows, right shared by %
// CHECK: define i32 @
// CHECK: call void @dot.f32.64x64x32.deferred.x8.in.place
// CHECK-LABEL: define internal void @dot.f32.64x64x32.deferred.x8.in.place

// COPY-NOT: in place
// COPY-NOT: shared by

tt.func public @matmul_kernel(%arg0: !tt.ptr<f32>, %arg1: !tt.ptr<f32>, %arg2: !tt.ptr<f32>, %arg3: i32, %arg4: i32, %arg5: i32, %arg6: i32, %arg7: i32, %arg8: i32) attributes {noinline = false} {
  %c31_i32 = arith.constant 31 : i32
  %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %c63_i32 = arith.constant 63 : i32
  %c1_i32 = arith.constant 1 : i32
  %cst_0 = arith.constant dense<32> : tensor<64x32xi32>
  %cst_1 = arith.constant dense<0.000000e+00> : tensor<32x64xf32>
  %cst_2 = arith.constant dense<0.000000e+00> : tensor<64x32xf32>
  %c32_i32 = arith.constant 32 : i32
  %c64_i32 = arith.constant 64 : i32
  %c0_i32 = arith.constant 0 : i32
  %c8_i32 = arith.constant 8 : i32
  %0 = tt.get_program_id x : i32
  %1 = arith.addi %arg3, %c63_i32 : i32
  %2 = arith.divsi %1, %c64_i32 : i32
  %3 = arith.addi %arg4, %c63_i32 : i32
  %4 = arith.divsi %3, %c64_i32 : i32
  %5 = arith.muli %4, %c8_i32 : i32
  %6 = arith.divsi %0, %5 : i32
  %7 = arith.muli %6, %c8_i32 : i32
  %8 = arith.subi %2, %7 : i32
  %9 = arith.minsi %8, %c8_i32 : i32
  %10 = arith.remsi %0, %5 : i32
  %11 = arith.remsi %10, %9 : i32
  %12 = arith.addi %7, %11 : i32
  %13 = arith.divsi %10, %9 : i32
  %14 = arith.cmpi sge, %12, %c0_i32 : i32
  llvm.intr.assume %14 : i1
  %15 = arith.cmpi sge, %13, %c0_i32 : i32
  llvm.intr.assume %15 : i1
  %16 = arith.muli %12, %c64_i32 : i32
  %17 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %18 = tt.splat %16 : i32 -> tensor<64xi32>
  %19 = arith.addi %18, %17 : tensor<64xi32>
  %20 = tt.splat %arg3 : i32 -> tensor<64xi32>
  %21 = arith.remsi %19, %20 : tensor<64xi32>
  %22 = arith.muli %13, %c64_i32 : i32
  %23 = tt.splat %22 : i32 -> tensor<64xi32>
  %24 = arith.addi %23, %17 : tensor<64xi32>
  %25 = tt.splat %arg4 : i32 -> tensor<64xi32>
  %26 = arith.remsi %24, %25 : tensor<64xi32>
  %27 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %28 = tt.expand_dims %21 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %29 = tt.splat %arg6 : i32 -> tensor<64x1xi32>
  %30 = arith.muli %28, %29 : tensor<64x1xi32>
  %31 = tt.expand_dims %27 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %32 = tt.broadcast %30 : tensor<64x1xi32> -> tensor<64x32xi32>
  %33 = tt.broadcast %31 : tensor<1x32xi32> -> tensor<64x32xi32>
  %34 = arith.addi %32, %33 : tensor<64x32xi32>
  %35 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %36 = tt.addptr %35, %34 : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %37 = tt.expand_dims %27 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %38 = tt.splat %arg7 : i32 -> tensor<32x1xi32>
  %39 = arith.muli %37, %38 : tensor<32x1xi32>
  %40 = tt.expand_dims %26 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %41 = tt.broadcast %39 : tensor<32x1xi32> -> tensor<32x64xi32>
  %42 = tt.broadcast %40 : tensor<1x64xi32> -> tensor<32x64xi32>
  %43 = arith.addi %41, %42 : tensor<32x64xi32>
  %44 = tt.splat %arg1 : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %45 = tt.addptr %44, %43 : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  %46 = arith.addi %arg5, %c31_i32 : i32
  %47 = arith.divsi %46, %c32_i32 : i32
  %48:3 = scf.for %arg9 = %c0_i32 to %47 step %c1_i32 iter_args(%arg10 = %36, %arg11 = %45, %arg12 = %cst) -> (tensor<64x32x!tt.ptr<f32>>, tensor<32x64x!tt.ptr<f32>>, tensor<64x64xf32>)  : i32 {
    %65 = arith.muli %arg9, %c32_i32 : i32
    %66 = arith.subi %arg5, %65 : i32
    %67 = tt.splat %66 : i32 -> tensor<1x32xi32>
    %68 = arith.cmpi slt, %31, %67 : tensor<1x32xi32>
    %69 = tt.broadcast %68 : tensor<1x32xi1> -> tensor<64x32xi1>
    %70 = tt.load %arg10, %69, %cst_2 : tensor<64x32x!tt.ptr<f32>>
    %71 = tt.splat %66 : i32 -> tensor<32x1xi32>
    %72 = arith.cmpi slt, %37, %71 : tensor<32x1xi32>
    %73 = tt.broadcast %72 : tensor<32x1xi1> -> tensor<32x64xi1>
    %74 = tt.load %arg11, %73, %cst_1 : tensor<32x64x!tt.ptr<f32>>
    %75 = tt.dot %70, %74, %arg12, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
    %76 = tt.addptr %arg10, %cst_0 : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
    %77 = arith.muli %arg7, %c32_i32 : i32
    %78 = tt.splat %77 : i32 -> tensor<32x64xi32>
    %79 = tt.addptr %arg11, %78 : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
    scf.yield %76, %79, %75 : tensor<64x32x!tt.ptr<f32>>, tensor<32x64x!tt.ptr<f32>>, tensor<64x64xf32>
  }
  %49 = tt.expand_dims %19 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %50 = tt.splat %arg8 : i32 -> tensor<64x1xi32>
  %51 = arith.muli %50, %49 : tensor<64x1xi32>
  %52 = tt.splat %arg2 : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
  %53 = tt.addptr %52, %51 : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
  %54 = tt.expand_dims %24 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %55 = tt.broadcast %53 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
  %56 = tt.broadcast %54 : tensor<1x64xi32> -> tensor<64x64xi32>
  %57 = tt.addptr %55, %56 : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %58 = tt.splat %arg3 : i32 -> tensor<64x1xi32>
  %59 = arith.cmpi slt, %49, %58 : tensor<64x1xi32>
  %60 = tt.splat %arg4 : i32 -> tensor<1x64xi32>
  %61 = arith.cmpi slt, %54, %60 : tensor<1x64xi32>
  %62 = tt.broadcast %59 : tensor<64x1xi1> -> tensor<64x64xi1>
  %63 = tt.broadcast %61 : tensor<1x64xi1> -> tensor<64x64xi1>
  %64 = arith.andi %62, %63 : tensor<64x64xi1>
  tt.store %57, %48#2, %64 : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
