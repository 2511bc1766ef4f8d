// Values whose elements are exchanged within groups, of as many vectors as half
// of the registers hold, stay in registers: all 256 elements with AVX-512, 64
// with AVX2. There the exchange of i ^ 128 reads a buffer; and because masks are
// not cheap, the nest that loads has no groups, so that whole vectors need none.
// RUN: nereid compile %s --target cpu:x86_64:znver4 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefix=AVX2
// RUN: nereid compile %s --target cpu:x86_64:znver4 -O fast_paths=all,-exchange-groups --stop-after llir -o - | FileCheck %s --check-prefix=OFF
// RUN: nereid compile %s --target cpu:x86_64:znver4 --stop-after asm -o - | FileCheck %s --check-prefix=ASM

// CHECK: b0 [256] f32 in registers
// CHECK-NEXT: b1 [256] f32 in registers
// CHECK-NEXT: b2 [256] f32 in registers
// CHECK-NEXT: b3 [256] f32 at 64
// CHECK: nest [256] axis 0 lanes 16 unroll 16 groups of 256
// CHECK-NEXT: row
// CHECK-NEXT: materialize %{{.*}} in b0
// CHECK-NEXT: row
// CHECK-NEXT: materialize %{{.*}} in b1
// CHECK-NEXT: row
// CHECK-NEXT: materialize %{{.*}} in b2
// CHECK-NEXT: row
// CHECK-NEXT: materialize %{{.*}} in b3
// CHECK-NEXT: nest [256] axis 0 lanes 16 unroll 2
// CHECK-NEXT: mask
// CHECK-NEXT: store

// AVX2: b0 [256] f32 at
// AVX2-NEXT: b1 [256] f32 in registers
// AVX2-NEXT: b2 [256] f32 at
// AVX2: nest [256] axis 0 lanes 8 unroll 2
// AVX2-NEXT: mask
// AVX2-NEXT: materialize %{{.*}} in b0
// AVX2-NEXT: nest [256] axis 0 lanes 8 unroll 8 groups of 64
// AVX2-NEXT: row
// AVX2-NEXT: materialize %{{.*}} in b1
// AVX2-NEXT: row
// AVX2-NEXT: materialize %{{.*}} in b2
// AVX2-NEXT: nest [256] axis 0 lanes 8 unroll 2

// OFF-NOT: in registers
// OFF-NOT: groups of

// Code is emitted for each vector of a group, so that long expressions are not
// part of one.
// RUN: sed 's/math.absf/math.sin/' %s > %t.mlir
// RUN: nereid compile %t.mlir --target cpu:x86_64:znver4 --stop-after llir -o - | FileCheck %s --check-prefix=LONG
// LONG: nest [256] axis 0 lanes 16 unroll 1 masked
// LONG-NEXT: mask
// LONG-NEXT: materialize %{{.*}} in b0
// LONG-NEXT: nest [256] axis 0 lanes 16 unroll 16 groups of 256
// LONG-NEXT: row
// LONG-NEXT: materialize %{{.*}} in b1

// Only the values that leave the group are stored.
// ASM-LABEL: exchange.cpu:
// ASM-COUNT-16: vmovups %zmm{{[0-9]+}}, {{[0-9]+}}(%r{{[0-9]+}})
// ASM-NOT: vmovups %zmm{{[0-9]+}}, {{[0-9]+}}(%r{{[0-9]+}})
// ASM: retq

// RUN: nereid run %s --target cpu --grid 3 f32[3,256]=random:7:-3:3 i32=200 -O fast_paths=none --save 0=%t.npy
// RUN: nereid run %s --target cpu --grid 3 f32[3,256]=random:7:-3:3 i32=200 --expect 0=%t.npy,0,0
// RUN: nereid run %s --target cpu --grid 3 f32[3,256]=random:7:-3:3 i32=200 -O vector_bits=128 --expect 0=%t.npy,0,0
// RUN: nereid run %s --target cpu --grid 3 f32[3,256]=random:7:-3:3 i32=200 -O vector_bits=256 --expect 0=%t.npy,0,0

tt.func public @exchange(%p: !tt.ptr<f32>, %n: i32) {
  %c256 = arith.constant 256 : i32
  %id = tt.get_program_id x : i32
  %start = arith.muli %id, %c256 : i32
  %row = tt.addptr %p, %start : !tt.ptr<f32>, i32
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %ns = tt.splat %n : i32 -> tensor<256xi32>
  %mask = arith.cmpi slt, %r, %ns : tensor<256xi32>
  %ps = tt.splat %row : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %at = tt.addptr %ps, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %other = arith.constant dense<0.5> : tensor<256xf32>
  %x = tt.load %at, %mask, %other : tensor<256x!tt.ptr<f32>>
  %a = math.absf %x : tensor<256xf32>
  %c16 = arith.constant dense<16> : tensor<256xi32>
  %i16 = arith.xori %r, %c16 : tensor<256xi32>
  %a16 = tt.gather %a[%i16] {axis = 0 : i32} : (tensor<256xf32>, tensor<256xi32>) -> tensor<256xf32>
  %b = arith.subf %a, %a16 : tensor<256xf32>
  %c36 = arith.constant dense<36> : tensor<256xi32>
  %i36 = arith.xori %r, %c36 : tensor<256xi32>
  %b36 = tt.gather %b[%i36] {axis = 0 : i32} : (tensor<256xf32>, tensor<256xi32>) -> tensor<256xf32>
  %more = arith.cmpf ogt, %b, %b36 : tensor<256xf32>
  %c = arith.select %more, %x, %b36 : tensor<256xi1>, tensor<256xf32>
  %c128 = arith.constant dense<128> : tensor<256xi32>
  %i128 = arith.xori %r, %c128 : tensor<256xi32>
  %c128th = tt.gather %c[%i128] {axis = 0 : i32} : (tensor<256xf32>, tensor<256xi32>) -> tensor<256xf32>
  %d = arith.addf %c, %c128th : tensor<256xf32>
  tt.store %at, %d, %mask : tensor<256x!tt.ptr<f32>>
  tt.return
}
