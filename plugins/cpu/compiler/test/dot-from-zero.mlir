// A dot that adds to zeros does not read its sums: no nest writes them before. One
// that adds to negative zeros does.
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=emeraldrapids --stop-after llir -o - | FileCheck %s --check-prefix=TILES
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 bf16[1024]=random:1 bf16[1024]=random:2 f32[1024]=zeros f32[1024]=zeros --save 2=%t.2.npy --save 3=%t.3.npy
// RUN: nereid run %s --target cpu --grid 1 bf16[1024]=random:1 bf16[1024]=random:2 f32[1024]=zeros f32[1024]=zeros --expect 2=%t.2.npy,1e-4,1e-4 --expect 3=%t.3.npy,1e-4,1e-4

// CHECK-NOT: materialize %cst in
// CHECK: dot %{{[0-9]+}} %{{[0-9]+}} {{.*}} from zero
// CHECK: materialize %cst_0 in [[SUMS:b[0-9]+]]
// CHECK: dot {{.*}}%cst_0 in [[SUMS]] rows
// CHECK: define internal void @dot.f32.32x32x32.from.zero

// TILES: call void @llvm.x86.tilezero(i8 0)

tt.func public @kernel(%px: !tt.ptr<bf16>, %py: !tt.ptr<bf16>, %pz: !tt.ptr<f32>, %pn: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %negative = arith.constant dense<-0.0> : tensor<32x32xf32>
  %pitch = arith.constant dense<32> : tensor<32x1xi32>
  %m = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %rows = tt.expand_dims %m {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tt.expand_dims %m {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %starts = arith.muli %rows, %pitch : tensor<32x1xi32>
  %starts2 = tt.broadcast %starts : tensor<32x1xi32> -> tensor<32x32xi32>
  %columns2 = tt.broadcast %columns : tensor<1x32xi32> -> tensor<32x32xi32>
  %offsets = arith.addi %starts2, %columns2 : tensor<32x32xi32>
  %sx = tt.splat %px : !tt.ptr<bf16> -> tensor<32x32x!tt.ptr<bf16>>
  %sy = tt.splat %py : !tt.ptr<bf16> -> tensor<32x32x!tt.ptr<bf16>>
  %sz = tt.splat %pz : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %sn = tt.splat %pn : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %xs = tt.addptr %sx, %offsets : tensor<32x32x!tt.ptr<bf16>>, tensor<32x32xi32>
  %ys = tt.addptr %sy, %offsets : tensor<32x32x!tt.ptr<bf16>>, tensor<32x32xi32>
  %zs = tt.addptr %sz, %offsets : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %ns = tt.addptr %sn, %offsets : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %x = tt.load %xs : tensor<32x32x!tt.ptr<bf16>>
  %y = tt.load %ys : tensor<32x32x!tt.ptr<bf16>>
  %z = tt.dot %x, %y, %zero, inputPrecision = ieee : tensor<32x32xbf16> * tensor<32x32xbf16> -> tensor<32x32xf32>
  tt.store %zs, %z : tensor<32x32x!tt.ptr<f32>>
  %n = tt.dot %x, %y, %negative, inputPrecision = ieee : tensor<32x32xbf16> * tensor<32x32xbf16> -> tensor<32x32xf32>
  tt.store %ns, %n : tensor<32x32x!tt.ptr<f32>>
  tt.return
}
