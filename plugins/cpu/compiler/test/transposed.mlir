// Operands of a dot that are column-major in memory are copied to scratch
// column by column: as loaded, or as before a tt.trans. The dot reads single
// elements of the left one there; all other operands are transposed first. A
// remainder (`% M`) does not prevent this.
// RUN: nereid compile %s --target cpu -O cpu=sapphirerapids --stop-after llir -o - | FileCheck %s --check-prefixes=CHECK,TILES
// RUN: nereid compile %s --target cpu -O cpu=znver4 --stop-after llir -o - | FileCheck %s --check-prefixes=CHECK,PAIRS
// RUN: nereid compile %s --target cpu -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s --check-prefix=WIDE
// RUN: nereid compile %s --target cpu -O cpu=sapphirerapids -O fast_paths=all,-dot-transposed --stop-after llir -o - | FileCheck %s --check-prefix=ACROSS

// CHECK: nest {{\[64x16\]}} axis 1 lanes 16
// CHECK: nest {{\[32x64\]}} axis 1 lanes 32
// CHECK: dot {{.*}} transposed packed in b{{[0-9]+}} {{.*}} transposed packed in b
// CHECK-NOT: @llvm.masked.scatter
// CHECK: call void @pack.left.transposed.bf16.16x32x64(
// CHECK: call void @pack.right.transposed.bf16.16x32x64(
// TILES: call void @dot.bf16.16x32x64.from.zero(
// PAIRS: call void @dot.left.transposed.bf16.16x32x64.from.zero(
// CHECK: define internal void @pack.left.transposed.bf16.16x32x64(
// TILES-COUNT-64: shufflevector <16 x i32>
// PAIRS-NOT: shufflevector <16 x i32>
// CHECK: define internal void @pack.right.transposed.bf16.16x32x64(
// CHECK-COUNT-64: shufflevector <16 x i32>

// WIDE: nest {{\[64x16\]}} axis 1 lanes 16
// WIDE: nest {{\[32x64\]}} axis 1 lanes 16
// WIDE-NOT: pack.left
// WIDE: @pack.right.transposed.f32.16x32x64(

// ACROSS-NOT: transposed

tt.func public @product(%pa: !tt.ptr<bf16>, %pb: !tt.ptr<bf16>, %pc: !tt.ptr<f32>, %stride: i32, %m: i32) {
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %r16 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %r32 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %r64 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>

  // a[m, k] = pa[k * stride + m % M]
  %height = tt.splat %m : i32 -> tensor<16xi32>
  %wrapped = arith.remsi %r16, %height : tensor<16xi32>
  %am = tt.expand_dims %wrapped {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %ak = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %step = tt.splat %stride : i32 -> tensor<1x64xi32>
  %aks = arith.muli %ak, %step : tensor<1x64xi32>
  %amw = tt.broadcast %am : tensor<16x1xi32> -> tensor<16x64xi32>
  %akw = tt.broadcast %aks : tensor<1x64xi32> -> tensor<16x64xi32>
  %ao = arith.addi %amw, %akw : tensor<16x64xi32>
  %as = tt.splat %pa : !tt.ptr<bf16> -> tensor<16x64x!tt.ptr<bf16>>
  %ap = tt.addptr %as, %ao : tensor<16x64x!tt.ptr<bf16>>, tensor<16x64xi32>
  %a = tt.load %ap : tensor<16x64x!tt.ptr<bf16>>

  // b = trans(rows of n)
  %bn = tt.expand_dims %r32 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %pitch = tt.splat %stride : i32 -> tensor<32x1xi32>
  %bns = arith.muli %bn, %pitch : tensor<32x1xi32>
  %bnw = tt.broadcast %bns : tensor<32x1xi32> -> tensor<32x64xi32>
  %bkw = tt.broadcast %ak : tensor<1x64xi32> -> tensor<32x64xi32>
  %bo = arith.addi %bnw, %bkw : tensor<32x64xi32>
  %bs = tt.splat %pb : !tt.ptr<bf16> -> tensor<32x64x!tt.ptr<bf16>>
  %bp = tt.addptr %bs, %bo : tensor<32x64x!tt.ptr<bf16>>, tensor<32x64xi32>
  %rows = tt.load %bp : tensor<32x64x!tt.ptr<bf16>>
  %b = tt.trans %rows {order = array<i32: 1, 0>} : tensor<32x64xbf16> -> tensor<64x32xbf16>

  %c = tt.dot %a, %b, %zero : tensor<16x64xbf16> * tensor<64x32xbf16> -> tensor<16x32xf32>
  %width = arith.constant dense<32> : tensor<16x1xi32>
  %row = tt.expand_dims %r16 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %cm = arith.muli %row, %width : tensor<16x1xi32>
  %cmw = tt.broadcast %cm : tensor<16x1xi32> -> tensor<16x32xi32>
  %cn = tt.expand_dims %r32 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %cnw = tt.broadcast %cn : tensor<1x32xi32> -> tensor<16x32xi32>
  %co = arith.addi %cmw, %cnw : tensor<16x32xi32>
  %cs = tt.splat %pc : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %co : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  tt.store %cp, %c : tensor<16x32x!tt.ptr<f32>>
  tt.return
}
