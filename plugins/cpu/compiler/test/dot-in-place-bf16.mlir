// bf16 in place is multiplied as f32, whatever multiplies where more rows are
// needed.
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=znver4 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=emeraldrapids --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefix=NARROW

// RUN: nereid run %s --target cpu -O fast_paths=none --grid 2 bf16[1,512]=random:1:-8:8 bf16[512,128]=random:2:-8:8 bf16[1,128]=zeros i32=1 i32=128 i32=512 i32=512 i32=128 i32=128 --save 2=%t.npy
// RUN: env NEREID_CPU_THREADS=1 NEREID_CPU_POISON_SCRATCH=0 nereid run %s --target cpu --grid 2 bf16[1,512]=random:1:-8:8 bf16[512,128]=random:2:-8:8 bf16[1,128]=zeros i32=1 i32=128 i32=512 i32=512 i32=128 i32=128 --expect 2=%t.npy,1e-2,1e-2
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 2 bf16[2,300]=random:1:-8:8 bf16[300,70]=random:2:-8:8 bf16[2,70]=zeros i32=2 i32=70 i32=300 i32=300 i32=70 i32=70 --save 2=%t.npy
// RUN: env NEREID_CPU_THREADS=1 NEREID_CPU_POISON_SCRATCH=0 nereid run %s --target cpu --grid 2 bf16[2,300]=random:1:-8:8 bf16[300,70]=random:2:-8:8 bf16[2,70]=zeros i32=2 i32=70 i32=300 i32=300 i32=70 i32=70 --expect 2=%t.npy,1e-2,1e-2
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 bf16[4,1024]=random:1:-8:8 bf16[1024,64]=random:2:-8:8 bf16[4,64]=zeros i32=4 i32=64 i32=1024 i32=1024 i32=64 i32=64 --save 2=%t.npy
// RUN: env NEREID_CPU_THREADS=1 NEREID_CPU_POISON_SCRATCH=0 nereid run %s --target cpu --grid 1 bf16[4,1024]=random:1:-8:8 bf16[1024,64]=random:2:-8:8 bf16[4,64]=zeros i32=4 i32=64 i32=1024 i32=1024 i32=64 i32=64 --expect 2=%t.npy,1e-2,1e-2
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 2 bf16[7,260]=random:1:-8:8 bf16[260,100]=random:2:-8:8 bf16[7,100]=zeros i32=7 i32=100 i32=260 i32=260 i32=100 i32=100 --save 2=%t.npy
// RUN: env NEREID_CPU_THREADS=1 NEREID_CPU_POISON_SCRATCH=0 nereid run %s --target cpu --grid 2 bf16[7,260]=random:1:-8:8 bf16[260,100]=random:2:-8:8 bf16[7,100]=zeros i32=7 i32=100 i32=260 i32=260 i32=100 i32=100 --expect 2=%t.npy,1e-2,1e-2
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 bf16[16,256]=random:1:-8:8 bf16[256,64]=random:2:-8:8 bf16[16,64]=zeros i32=16 i32=64 i32=256 i32=256 i32=64 i32=64 --save 2=%t.npy
// RUN: env NEREID_CPU_THREADS=1 NEREID_CPU_POISON_SCRATCH=0 nereid run %s --target cpu --grid 1 bf16[16,256]=random:1:-8:8 bf16[256,64]=random:2:-8:8 bf16[16,64]=zeros i32=16 i32=64 i32=256 i32=256 i32=64 i32=64 --expect 2=%t.npy,1e-2,1e-2

// CHECK: right in place up to 16 rows
// CHECK: call void @dot.by.rows.bf16.16x64x128
// CHECK: define internal void @dot.by.rows.bf16
// CHECK: zext <16 x i16> %{{[0-9]+}} to <16 x i32>
// NARROW: right in place up to 6 rows
// NARROW: call void @dot.by.rows.f32.16x64x128
// NARROW: define internal void @dot.by.rows.f32
// NARROW: zext <8 x i16> %{{[0-9]+}} to <8 x i32>

module {
  tt.func public @matmul_kernel(%arg0: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %arg1: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %arg2: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %arg3: i32, %arg4: i32 {tt.divisibility = 16 : i32}, %arg5: i32 {tt.divisibility = 16 : i32}, %arg6: i32 {tt.divisibility = 16 : i32}, %arg7: i32 {tt.divisibility = 16 : i32}, %arg8: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %c127_i32 = arith.constant 127 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<16x64xf32>
    %c63_i32 = arith.constant 63 : i32
    %c15_i32 = arith.constant 15 : i32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<128x64xbf16>
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<16x128xbf16>
    %c1_i32 = arith.constant 1 : i32
    %cst_2 = arith.constant dense<128> : tensor<16x128xi32>
    %c128_i32 = arith.constant 128 : i32
    %c64_i32 = arith.constant 64 : i32
    %c16_i32 = arith.constant 16 : i32
    %c0_i32 = arith.constant 0 : i32
    %c8_i32 = arith.constant 8 : i32
    %0 = tt.get_program_id x : i32
    %1 = arith.addi %arg3, %c15_i32 : i32
    %2 = arith.divsi %1, %c16_i32 : i32
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
    %16 = arith.muli %12, %c16_i32 : i32
    %17 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %18 = tt.splat %16 : i32 -> tensor<16xi32>
    %19 = arith.addi %18, %17 : tensor<16xi32>
    %20 = tt.splat %arg3 : i32 -> tensor<16xi32>
    %21 = arith.remsi %19, %20 : tensor<16xi32>
    %22 = arith.muli %13, %c64_i32 : i32
    %23 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %24 = tt.splat %22 : i32 -> tensor<64xi32>
    %25 = arith.addi %24, %23 : tensor<64xi32>
    %26 = tt.splat %arg4 : i32 -> tensor<64xi32>
    %27 = arith.remsi %25, %26 : tensor<64xi32>
    %28 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %29 = tt.expand_dims %21 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %30 = tt.splat %arg6 : i32 -> tensor<16x1xi32>
    %31 = arith.muli %29, %30 : tensor<16x1xi32>
    %32 = tt.expand_dims %28 {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
    %33 = tt.broadcast %31 : tensor<16x1xi32> -> tensor<16x128xi32>
    %34 = tt.broadcast %32 : tensor<1x128xi32> -> tensor<16x128xi32>
    %35 = arith.addi %33, %34 : tensor<16x128xi32>
    %36 = tt.splat %arg0 : !tt.ptr<bf16> -> tensor<16x128x!tt.ptr<bf16>>
    %37 = tt.addptr %36, %35 : tensor<16x128x!tt.ptr<bf16>>, tensor<16x128xi32>
    %38 = tt.expand_dims %28 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %39 = tt.splat %arg7 : i32 -> tensor<128x1xi32>
    %40 = arith.muli %38, %39 : tensor<128x1xi32>
    %41 = tt.expand_dims %27 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %42 = tt.broadcast %40 : tensor<128x1xi32> -> tensor<128x64xi32>
    %43 = tt.broadcast %41 : tensor<1x64xi32> -> tensor<128x64xi32>
    %44 = arith.addi %42, %43 : tensor<128x64xi32>
    %45 = tt.splat %arg1 : !tt.ptr<bf16> -> tensor<128x64x!tt.ptr<bf16>>
    %46 = tt.addptr %45, %44 : tensor<128x64x!tt.ptr<bf16>>, tensor<128x64xi32>
    %47 = arith.addi %arg5, %c127_i32 : i32
    %48 = arith.divsi %47, %c128_i32 : i32
    %49:3 = scf.for %arg9 = %c0_i32 to %48 step %c1_i32 iter_args(%arg10 = %37, %arg11 = %46, %arg12 = %cst) -> (tensor<16x128x!tt.ptr<bf16>>, tensor<128x64x!tt.ptr<bf16>>, tensor<16x64xf32>)  : i32 {
      %67 = arith.muli %arg9, %c128_i32 : i32
      %68 = arith.subi %arg5, %67 : i32
      %69 = tt.splat %68 : i32 -> tensor<1x128xi32>
      %70 = arith.cmpi slt, %32, %69 : tensor<1x128xi32>
      %71 = tt.broadcast %70 : tensor<1x128xi1> -> tensor<16x128xi1>
      %72 = tt.load %arg10, %71, %cst_1 : tensor<16x128x!tt.ptr<bf16>>
      %73 = tt.splat %68 : i32 -> tensor<128x1xi32>
      %74 = arith.cmpi slt, %38, %73 : tensor<128x1xi32>
      %75 = tt.broadcast %74 : tensor<128x1xi1> -> tensor<128x64xi1>
      %76 = tt.load %arg11, %75, %cst_0 : tensor<128x64x!tt.ptr<bf16>>
      %77 = tt.dot %72, %76, %arg12, inputPrecision = tf32 : tensor<16x128xbf16> * tensor<128x64xbf16> -> tensor<16x64xf32>
      %78 = tt.addptr %arg10, %cst_2 : tensor<16x128x!tt.ptr<bf16>>, tensor<16x128xi32>
      %79 = arith.muli %arg7, %c128_i32 : i32
      %80 = tt.splat %79 : i32 -> tensor<128x64xi32>
      %81 = tt.addptr %arg11, %80 : tensor<128x64x!tt.ptr<bf16>>, tensor<128x64xi32>
      scf.yield %78, %81, %77 : tensor<16x128x!tt.ptr<bf16>>, tensor<128x64x!tt.ptr<bf16>>, tensor<16x64xf32>
    }
    %50 = arith.truncf %49#2 : tensor<16x64xf32> to tensor<16x64xbf16>
    %51 = tt.expand_dims %19 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %52 = tt.splat %arg8 : i32 -> tensor<16x1xi32>
    %53 = arith.muli %52, %51 : tensor<16x1xi32>
    %54 = tt.splat %arg2 : !tt.ptr<bf16> -> tensor<16x1x!tt.ptr<bf16>>
    %55 = tt.addptr %54, %53 : tensor<16x1x!tt.ptr<bf16>>, tensor<16x1xi32>
    %56 = tt.expand_dims %25 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %57 = tt.broadcast %55 : tensor<16x1x!tt.ptr<bf16>> -> tensor<16x64x!tt.ptr<bf16>>
    %58 = tt.broadcast %56 : tensor<1x64xi32> -> tensor<16x64xi32>
    %59 = tt.addptr %57, %58 : tensor<16x64x!tt.ptr<bf16>>, tensor<16x64xi32>
    %60 = tt.splat %arg3 : i32 -> tensor<16x1xi32>
    %61 = arith.cmpi slt, %51, %60 : tensor<16x1xi32>
    %62 = tt.splat %arg4 : i32 -> tensor<1x64xi32>
    %63 = arith.cmpi slt, %56, %62 : tensor<1x64xi32>
    %64 = tt.broadcast %61 : tensor<16x1xi1> -> tensor<16x64xi1>
    %65 = tt.broadcast %63 : tensor<1x64xi1> -> tensor<16x64xi1>
    %66 = arith.andi %64, %65 : tensor<16x64xi1>
    tt.store %59, %50, %66 : tensor<16x64x!tt.ptr<bf16>>
    tt.return
  }
}
