// With registers of 512 bits, the error function takes the coefficients of its
// polynomials from registers.
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v4 --stop-after asm -o - | FileCheck %s
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v4 -O vector_bits=256 --stop-after asm -o - | FileCheck %s --check-prefix=NARROW
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v4 -O features=-evex512 --stop-after asm -o - | FileCheck %s --check-prefix=NARROW
// RUN: nereid compile %s --target cpu:x86_64:x86-64-v3 --stop-after asm -o - | FileCheck %s --check-prefix=NARROW
// RUN: nereid run %s --target cpu -O vector_bits=128 --grid 1 f32[64]=random:1:-4:4 f32[64]=zeros --save 1=%t.npy
// RUN: nereid run %s --target cpu --grid 1 f32[64]=random:1:-4:4 f32[64]=zeros --expect 1=%t.npy,1e-6,0
// RUN: nereid run %s --target cpu -O fast_paths=none --grid 1 f32[64]=random:1:-4:4 f32[64]=zeros --expect 1=%t.npy,1e-6,0

// CHECK-COUNT-6: vpermps
// CHECK: zmm
// NARROW-NOT: vpermps
// NARROW-NOT: zmm
module {
  tt.func public @k(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %p = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %q = tt.addptr %p, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %v = tt.load %q : tensor<64x!tt.ptr<f32>>
    %e = math.erf %v : tensor<64xf32>
    %a = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %b = tt.addptr %a, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %b, %e : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
