// Lanes that are anywhere in memory are loaded and stored by one instruction
// where it is fast, else one by one, without a branch: those that are masked off
// go to scratch.
// RUN: nereid compile %s --target cpu:x86_64:sapphirerapids --stop-after llir -o - | FileCheck %s --check-prefix=GATHER
// RUN: nereid compile %s --target cpu:x86_64:alderlake --stop-after llir -o - | FileCheck %s --check-prefix=GATHER
// RUN: nereid compile %s --target cpu:x86_64:znver4 --stop-after llir -o - | FileCheck %s --check-prefix=LANES
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v2 --stop-after llir -o - | FileCheck %s --check-prefix=LANES
// RUN: nereid compile %s --target cpu:aarch64:neoverse-v1 --stop-after llir -o - | FileCheck %s --check-prefix=LANES

// GATHER: call <{{.*}} x i32> @llvm.masked.gather
// GATHER: call void @llvm.masked.scatter
// LANES-NOT: masked.{{gather|scatter}}
// LANES: select <{{.*}} x i1> %{{.*}}, <{{.*}} x ptr> %{{.*}}, <{{.*}} x ptr> %.splat
// LANES: load i32, ptr
// LANES-NOT: masked.{{gather|scatter}}
// LANES: store i32 %{{.*}}, ptr
// LANES-NOT: masked.{{gather|scatter}}

// The results are the same: each element goes to its index, those beyond the
// end nowhere.
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 i32[64]=range i32[64]=random:3:0:99 i32[64]=random:4:0:99 i32[100]=zeros i32=70 --save 3=%t.npy
// RUN: nereid run %s --target cpu --grid 1 i32[64]=range i32[64]=random:3:0:99 i32[64]=random:4:0:99 i32[100]=zeros i32=70 --expect 3=%t.npy,0,0

tt.func public @move(%x: !tt.ptr<i32>, %from: !tt.ptr<i32>, %to: !tt.ptr<i32>, %y: !tt.ptr<i32>, %n: i32) {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %limit = arith.constant dense<64> : tensor<64xi32>
  %zero = arith.constant dense<0> : tensor<64xi32>
  %fp = tt.splat %from : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %fa = tt.addptr %fp, %range : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %f = tt.load %fa : tensor<64x!tt.ptr<i32>>
  %tp = tt.splat %to : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %ta = tt.addptr %tp, %range : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %t = tt.load %ta : tensor<64x!tt.ptr<i32>>
  %reads = arith.cmpi slt, %f, %limit : tensor<64xi32>
  %xp = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %xa = tt.addptr %xp, %f : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %v = tt.load %xa, %reads, %zero : tensor<64x!tt.ptr<i32>>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %writes = arith.cmpi slt, %t, %ns : tensor<64xi32>
  %yp = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %ya = tt.addptr %yp, %t : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %ya, %v, %writes : tensor<64x!tt.ptr<i32>>
  tt.return
}
