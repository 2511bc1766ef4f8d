// Dots that a loop only accumulates are deferred for several iterations; those
// whose sums it reads are not. With tile registers, bf16 is not converted.
// RUN: nereid compile %s --target cpu -O cpu=sapphirerapids --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O cpu=x86-64-v4 --stop-after llir -o - | FileCheck %s --check-prefix=WIDE
// RUN: nereid compile %s --target cpu -O cpu=sapphirerapids -O fast_paths=all,-dot-deferred --stop-after llir -o - | FileCheck %s --check-prefix=NOW

// CHECK: tile program @products
// CHECK: {{\[32x32\]}} bf16 x32 at
// CHECK: {{\[32x32\]}} bf16 x32 at
// CHECK: dot {{.*}} packed in b{{[0-9]+}} {{.*}} every 32{{ }}
// CHECK: dot {{.*}} packed in b{{[0-9]+}} {{.* in b[0-9]+ by tiles$}}
// CHECK: call void @dot.bf16.32x32x32.deferred.{{.*}}, i64 32,
// CHECK: call void @dot.bf16.32x32x32(
// CHECK: call void @dot.bf16.32x32x32.deferred.
// CHECK: define internal void @dot.bf16.32x32x32.deferred.
// CHECK: call void @llvm.x86.tdpbf16ps(

// WIDE: {{\[32x32\]}} f32 x4 at
// WIDE: dot {{.*}} every 4
// WIDE-NOT: tdpbf16ps

// NOW-NOT: deferred
// NOW-COUNT-2: call void @dot.bf16.32x32x32(
// NOW-NOT: deferred

tt.func public @products(%pa: !tt.ptr<bf16>, %pb: !tt.ptr<bf16>, %pc: !tt.ptr<f32>, %rounds: i32) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %first = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant dense<1024> : tensor<32x32xi32>
  %width = arith.constant dense<32> : tensor<32x1xi32>
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %row = tt.expand_dims %range {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %column = tt.expand_dims %range {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %rows = arith.muli %row, %width : tensor<32x1xi32>
  %rows2 = tt.broadcast %rows : tensor<32x1xi32> -> tensor<32x32xi32>
  %columns2 = tt.broadcast %column : tensor<1x32xi32> -> tensor<32x32xi32>
  %offsets = arith.addi %rows2, %columns2 : tensor<32x32xi32>
  %sa = tt.splat %pa : !tt.ptr<bf16> -> tensor<32x32x!tt.ptr<bf16>>
  %sb = tt.splat %pb : !tt.ptr<bf16> -> tensor<32x32x!tt.ptr<bf16>>
  %sc = tt.splat %pc : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %a0 = tt.addptr %sa, %offsets : tensor<32x32x!tt.ptr<bf16>>, tensor<32x32xi32>
  %b0 = tt.addptr %sb, %offsets : tensor<32x32x!tt.ptr<bf16>>, tensor<32x32xi32>
  %c0 = tt.addptr %sc, %offsets : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %sums:4 = scf.for %i = %first to %rounds step %one
      iter_args(%total = %zero, %seen = %zero, %pas = %a0, %pbs = %b0)
      -> (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32x!tt.ptr<bf16>>, tensor<32x32x!tt.ptr<bf16>>) : i32 {
    %a = tt.load %pas : tensor<32x32x!tt.ptr<bf16>>
    %b = tt.load %pbs : tensor<32x32x!tt.ptr<bf16>>
    %next = tt.dot %a, %b, %total : tensor<32x32xbf16> * tensor<32x32xbf16> -> tensor<32x32xf32>
    %now = tt.dot %b, %a, %seen : tensor<32x32xbf16> * tensor<32x32xbf16> -> tensor<32x32xf32>
    tt.store %c0, %now : tensor<32x32x!tt.ptr<f32>>
    %pa1 = tt.addptr %pas, %size : tensor<32x32x!tt.ptr<bf16>>, tensor<32x32xi32>
    %pb1 = tt.addptr %pbs, %size : tensor<32x32x!tt.ptr<bf16>>, tensor<32x32xi32>
    scf.yield %next, %now, %pa1, %pb1 : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32x!tt.ptr<bf16>>, tensor<32x32x!tt.ptr<bf16>>
  }
  tt.store %c0, %sums#0 : tensor<32x32x!tt.ptr<f32>>
  tt.return
}
