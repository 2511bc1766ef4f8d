// Where the machine multiplies bf16 in pairs at the rate of f32, operands of a dot
// stay bf16 and the right one is interleaved; elsewhere both become f32. That
// depends on features, not on the name of the processor. Intel's processors with
// AVX512-FP16 have a slower instruction.
// RUN: nereid compile %s --target cpu -O cpu=znver4 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu:x86_64:znver4,+avx2,+fma,+avx512f,+avx512bw,+avx512vl,+avx512bf16 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu:x86_64:cooperlake --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu:x86_64:icelake-server,+avx2,+fma,+avx512f,+avx512bw,+avx512vl,+avx512bf16 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefix=WIDE
// RUN: nereid compile %s --target cpu:x86_64:cascadelake --stop-after llir -o - | FileCheck %s --check-prefix=WIDE
// RUN: nereid compile %s --target cpu:x86_64:sapphirerapids -O fast_paths=all,-dot-tiles --stop-after llir -o - | FileCheck %s --check-prefix=WIDE
// RUN: nereid compile %s --target cpu -O cpu=znver4 -O fast_paths=all,-dot-pairs --stop-after llir -o - | FileCheck %s --check-prefix=WIDE
// RUN: nereid compile %s --target cpu -O cpu=sapphirerapids --stop-after llir -o - | FileCheck %s --check-prefix=TILES

// CHECK: tile program @product
// CHECK: {{\[32x16\]}} bf16
// CHECK: dot {{.*}} packed in b{{.*}} by vdpbf16ps
// CHECK: call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512
// WIDE: tile program @product
// WIDE-NOT: packed
// WIDE: {{\[32x16\]}} f32
// WIDE-NOT: dpbf16ps
// TILES: {{\[32x16\]}} bf16
// TILES: call void @llvm.x86.tdpbf16ps(

tt.func public @product(%pa: !tt.ptr<bf16>, %pb: !tt.ptr<bf16>, %pc: !tt.ptr<f32>) {
  %sum = arith.constant dense<0.0> : tensor<16x16xf32>
  %m = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %stride = arith.constant dense<16> : tensor<16x1xi32>
  %stridek = arith.constant dense<16> : tensor<32x1xi32>
  %strideA = arith.constant dense<32> : tensor<16x1xi32>
  %row = tt.expand_dims %m {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %column = tt.expand_dims %m {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %krow = tt.expand_dims %k {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %kcolumn = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %a0 = arith.muli %row, %strideA : tensor<16x1xi32>
  %a1 = tt.broadcast %a0 : tensor<16x1xi32> -> tensor<16x32xi32>
  %a2 = tt.broadcast %kcolumn : tensor<1x32xi32> -> tensor<16x32xi32>
  %a3 = arith.addi %a1, %a2 : tensor<16x32xi32>
  %a4 = tt.splat %pa : !tt.ptr<bf16> -> tensor<16x32x!tt.ptr<bf16>>
  %a5 = tt.addptr %a4, %a3 : tensor<16x32x!tt.ptr<bf16>>, tensor<16x32xi32>
  %a = tt.load %a5 : tensor<16x32x!tt.ptr<bf16>>
  %b0 = arith.muli %krow, %stridek : tensor<32x1xi32>
  %b1 = tt.broadcast %b0 : tensor<32x1xi32> -> tensor<32x16xi32>
  %b2 = tt.broadcast %column : tensor<1x16xi32> -> tensor<32x16xi32>
  %b3 = arith.addi %b1, %b2 : tensor<32x16xi32>
  %b4 = tt.splat %pb : !tt.ptr<bf16> -> tensor<32x16x!tt.ptr<bf16>>
  %b5 = tt.addptr %b4, %b3 : tensor<32x16x!tt.ptr<bf16>>, tensor<32x16xi32>
  %b = tt.load %b5 : tensor<32x16x!tt.ptr<bf16>>
  %c = tt.dot %a, %b, %sum : tensor<16x32xbf16> * tensor<32x16xbf16> -> tensor<16x16xf32>
  %c0 = arith.muli %row, %stride : tensor<16x1xi32>
  %c1 = tt.broadcast %c0 : tensor<16x1xi32> -> tensor<16x16xi32>
  %c2 = tt.broadcast %column : tensor<1x16xi32> -> tensor<16x16xi32>
  %c3 = arith.addi %c1, %c2 : tensor<16x16xi32>
  %c4 = tt.splat %pc : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %c5 = tt.addptr %c4, %c3 : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  tt.store %c5, %c : tensor<16x16x!tt.ptr<f32>>
  tt.return
}
