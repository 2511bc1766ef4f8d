// Two loops over K in one function: the prefetch addresses of one loop are
// computed in that loop, and not used in the other.
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=znver4 --stop-after asm -o %t.s
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=sapphirerapids --stop-after asm -o %t.s
// RUN: nereid compile %s --target cpu -O arch=aarch64 -O cpu=neoverse-n1 --stop-after asm -o %t.s
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=znver4 -O fast_paths=all,-dot-in-place,-dot-shared --stop-after asm -o %t.s
// RUN: nereid compile %s --target cpu -O arch=aarch64 -O cpu=neoverse-n1 -O fast_paths=all,-dot-in-place,-dot-shared --stop-after asm -o %t.s
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=znver4 -O fast_paths=all,-dot-in-place,-dot-shared --stop-after llir -o - | FileCheck %s
// CHECK: tile program @two_loops
// CHECK: scf.for
// CHECK: dot {{.*}} every {{[0-9]+}} prefetch
// CHECK: scf.for
// CHECK: dot {{.*}} every {{[0-9]+}} prefetch

tt.func public @two_loops(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>, %n: i32, %sa: i32) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %m = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %nn = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %m1 = tt.expand_dims %m {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %k0 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %k1 = tt.expand_dims %k {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %n0 = tt.expand_dims %nn {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %sas = tt.splat %sa : i32 -> tensor<32x1xi32>
  %am = arith.muli %m1, %sas : tensor<32x1xi32>
  %am2 = tt.broadcast %am : tensor<32x1xi32> -> tensor<32x32xi32>
  %ak2 = tt.broadcast %k0 : tensor<1x32xi32> -> tensor<32x32xi32>
  %ao = arith.addi %am2, %ak2 : tensor<32x32xi32>
  %bk = arith.muli %k1, %sas : tensor<32x1xi32>
  %bk2 = tt.broadcast %bk : tensor<32x1xi32> -> tensor<32x64xi32>
  %bn2 = tt.broadcast %n0 : tensor<1x64xi32> -> tensor<32x64xi32>
  %bo = arith.addi %bk2, %bn2 : tensor<32x64xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %bs = tt.splat %b : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %ap0 = tt.addptr %as, %ao : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %bp0 = tt.addptr %bs, %bo : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  %cp = tt.addptr %cs, %bo : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  %adv = arith.constant dense<32> : tensor<32x32xi32>
  %b32 = arith.muli %sa, %c32 : i32
  %badv = tt.splat %b32 : i32 -> tensor<32x64xi32>
  %r:3 = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero, %ap = %ap0, %bp = %bp0) -> (tensor<32x64xf32>, tensor<32x32x!tt.ptr<f32>>, tensor<32x64x!tt.ptr<f32>>) : i32 {
    %x = tt.load %ap : tensor<32x32x!tt.ptr<f32>>
    %y = tt.load %bp : tensor<32x64x!tt.ptr<f32>>
    %d = tt.dot %x, %y, %acc, inputPrecision = ieee : tensor<32x32xf32> * tensor<32x64xf32> -> tensor<32x64xf32>
    %ap1 = tt.addptr %ap, %adv : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %bp1 = tt.addptr %bp, %badv : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
    scf.yield %d, %ap1, %bp1 : tensor<32x64xf32>, tensor<32x32x!tt.ptr<f32>>, tensor<32x64x!tt.ptr<f32>>
  }
  %s:3 = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero, %ap = %ap0, %bp = %bp0) -> (tensor<32x64xf32>, tensor<32x32x!tt.ptr<f32>>, tensor<32x64x!tt.ptr<f32>>) : i32 {
    %x = tt.load %ap : tensor<32x32x!tt.ptr<f32>>
    %y = tt.load %bp : tensor<32x64x!tt.ptr<f32>>
    %y2 = arith.addf %y, %y : tensor<32x64xf32>
    %d = tt.dot %x, %y2, %acc, inputPrecision = ieee : tensor<32x32xf32> * tensor<32x64xf32> -> tensor<32x64xf32>
    %ap1 = tt.addptr %ap, %adv : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %bp1 = tt.addptr %bp, %badv : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
    scf.yield %d, %ap1, %bp1 : tensor<32x64xf32>, tensor<32x32x!tt.ptr<f32>>, tensor<32x64x!tt.ptr<f32>>
  }
  %t = arith.mulf %r#0, %s#0 : tensor<32x64xf32>
  tt.store %cp, %t : tensor<32x64x!tt.ptr<f32>>
  tt.return
}
