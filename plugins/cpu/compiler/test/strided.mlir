// Lanes that are a few elements apart are loaded with what is between them, and
// chosen: without a mask by plain loads, of which the last one ends with the
// last lane; with one, by masked loads of the lanes alone. They are stored by
// masks, where the processor has mask registers.
// RUN: nereid compile %s --target cpu:x86_64:znver4 --stop-after llir -o - | FileCheck %s --check-prefixes=CHECK,MASKS
// RUN: nereid compile %s --target cpu:x86_64:alderlake --stop-after llir -o - | FileCheck %s --check-prefixes=CHECK,SCATTER
// RUN: nereid compile %s --target cpu:x86_64:znver4 -O fast_paths=all,-strided --stop-after llir -o - | FileCheck %s --check-prefix=NONE

// MASKS-NOT: insertelement <16 x float>
// CHECK: [[FIRST:%[0-9]+]] = load <[[N:16|8]] x float>, ptr
// CHECK: [[LAST:%[0-9]+]] = load <[[N]] x float>, ptr
// CHECK: shufflevector <[[N]] x float> [[FIRST]], <[[N]] x float> [[LAST]], <[[N]] x i32> <i32 0, i32 2, i32 4
// MASKS: shufflevector <16 x i1> {{.*}}, <16 x i1> zeroinitializer, <16 x i32> <i32 15, i32 16, i32 16, i32 14
// MASKS: call <16 x float> @llvm.masked.load
// MASKS: call void @llvm.masked.store.v16f32.p0(<16 x float> {{.*}}, <16 x i1> <i1 true, i1 false, i1 true
// SCATTER: scatter
// MASKS-NOT: insertelement <16 x float>
// NONE-NOT: shufflevector <16 x float> {{.*}} <i32 0, i32 2

// The results are the same, and what is between the lanes is left as it is.
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[199]=random:1 f32[299]=random:2 i32[100]=random:3:0:3 f32[199]=random:4 i32=100 --save 3=%t.npy
// RUN: nereid run %s --target cpu --grid 1 f32[199]=random:1 f32[299]=random:2 i32[100]=random:3:0:3 f32[199]=random:4 i32=100 --expect 3=%t.npy,0,0
// RUN: nereid run %s --target cpu -O cpu=x86-64-v3 -O arch=x86_64 --grid 1 f32[199]=random:1 f32[299]=random:2 i32[100]=random:3:0:3 f32[199]=random:4 i32=100 --expect 3=%t.npy,0,0

tt.func public @strided(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %choice: !tt.ptr<i32>, %out: !tt.ptr<f32>, %n: i32) {
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %two = arith.constant dense<2> : tensor<128xi32>
  %minus = arith.constant dense<-3> : tensor<128xi32>
  %three = arith.constant 3 : i32
  %one = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<128xi32>
  %other = arith.constant dense<5.0> : tensor<128xf32>
  %ns = tt.splat %n : i32 -> tensor<128xi32>
  %inside = arith.cmpi slt, %i, %ns : tensor<128xi32>
  %cp = tt.splat %choice : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %ca = tt.addptr %cp, %i : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %c = tt.load %ca, %inside, %zero : tensor<128x!tt.ptr<i32>>
  %isChosen = arith.cmpi ne, %c, %zero : tensor<128xi32>
  %doubled = arith.muli %i, %two : tensor<128xi32>
  %xp = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xa = tt.addptr %xp, %doubled : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %a = tt.load %xa, %inside : tensor<128x!tt.ptr<f32>>
  %before = arith.subi %n, %one : i32
  %last = arith.muli %before, %three : i32
  %lasts = tt.splat %last : i32 -> tensor<128xi32>
  %down = arith.muli %i, %minus : tensor<128xi32>
  %back = arith.addi %lasts, %down : tensor<128xi32>
  %yp = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %ya = tt.addptr %yp, %back : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %both = arith.andi %inside, %isChosen : tensor<128xi1>
  %b = tt.load %ya, %both, %other : tensor<128x!tt.ptr<f32>>
  %sum = arith.addf %a, %b : tensor<128xf32>
  %op = tt.splat %out : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %oa = tt.addptr %op, %doubled : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %oa, %sum, %inside : tensor<128x!tt.ptr<f32>>
  tt.return
}
