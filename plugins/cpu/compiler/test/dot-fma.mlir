// Without a fused multiply-add instruction, a dot multiplies and then adds:
// LLVM would call fmaf for every element.
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=x86-64 --stop-after asm -o - | FileCheck %s --check-prefix=PLAIN
// RUN: nereid compile %s --target cpu -O arch=x86_64 -O cpu=x86-64-v3 --stop-after asm -o - | FileCheck %s --check-prefix=FMA
// PLAIN-NOT: fma
// PLAIN: mulps
// PLAIN-NOT: fma
// FMA: vfmadd
tt.func public @product(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>) {
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %r = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %c = tt.expand_dims %i {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %pitch = arith.constant dense<16> : tensor<16x1xi32>
  %rows = arith.muli %r, %pitch : tensor<16x1xi32>
  %rs = tt.broadcast %rows : tensor<16x1xi32> -> tensor<16x16xi32>
  %cs = tt.broadcast %c : tensor<1x16xi32> -> tensor<16x16xi32>
  %offs = arith.addi %rs, %cs : tensor<16x16xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %ap = tt.addptr %as, %offs : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  %bs = tt.splat %b : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %bp = tt.addptr %bs, %offs : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  %x = tt.load %ap : tensor<16x16x!tt.ptr<f32>>
  %y = tt.load %bp : tensor<16x16x!tt.ptr<f32>>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tt.dot %x, %y, %zero, inputPrecision = ieee : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.store %ap, %d : tensor<16x16x!tt.ptr<f32>>
  tt.return
}
