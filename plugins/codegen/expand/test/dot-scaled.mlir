// A microscaled dot becomes conversions, a scaling and a plain dot.
// RUN: nereid-expand %s | FileCheck %s
// RUN: nereid-expand --scaled-dot=f32 %s | FileCheck %s --check-prefix=F32
// RUN: nereid-expand --scaled-dot=f16 %s | FileCheck %s --check-prefix=F16

// RUN: nereid-expand --scaled-dot=f32 --matrices %s | FileCheck %s --check-prefix=MATRICES

// A backend may select another type than the narrow ones.
// F32-COUNT-2: tt.dot {{.*}} : tensor<16x64xf32> * tensor<64x32xf32>
// F16-COUNT-2: tt.dot {{.*}} : tensor<16x64xf16> * tensor<64x32xf16>

// Codes of e2m1 are unpacked along K; the dot is in bf16.
// CHECK-LABEL: tt.func @fp4
// CHECK: tt.join
// CHECK: tt.reshape {{.*}} -> tensor<16x64xi8>
// CHECK: tt.broadcast {{.*}} -> tensor<16x2x32xf32>
// CHECK: tt.trans {{.*}} {order = array<i32: 1, 0>} : tensor<32x64xf32> -> tensor<64x32xf32>
// CHECK: tt.dot {{.*}} : tensor<16x64xbf16> * tensor<64x32xbf16> -> tensor<16x32xf32>
tt.func @fp4(%a: tensor<16x32xi8>, %as: tensor<16x2xi8>,
             %b: tensor<32x32xi8>, %bs: tensor<32x2xi8>,
             %c: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %d = tt.dot_scaled %a scale %as, %b scale %bs, %c lhs = e2m1 rhs = e2m1
      {fastMath = false}
      : tensor<16x32xi8>, tensor<16x2xi8> * tensor<32x32xi8>, tensor<32x2xi8>
      -> tensor<16x32xf32>
  tt.return %d : tensor<16x32xf32>
}

// With an operand of f16 the dot is in f16; that operand has no scale here.
// CHECK-LABEL: tt.func @f16
// CHECK: tt.dot %arg0, {{.*}} : tensor<16x64xf16> * tensor<64x32xf16>
tt.func @f16(%a: tensor<16x64xf16>, %b: tensor<64x32xf8E5M2>,
             %bs: tensor<32x2xi8>, %c: tensor<16x32xf32>)
    -> tensor<16x32xf32> {
  %d = tt.dot_scaled %a, %b scale %bs, %c lhs = fp16 rhs = e5m2
      {fastMath = true}
      : tensor<16x64xf16> * tensor<64x32xf8E5M2>, tensor<32x2xi8>
      -> tensor<16x32xf32>
  tt.return %d : tensor<16x32xf32>
}

// The batch dimension is preserved.
// CHECK-LABEL: tt.func @batched
// CHECK: tt.trans {{.*}} {order = array<i32: 0, 2, 1>}
// CHECK: tt.dot {{.*}} : tensor<2x16x64xbf16> * tensor<2x64x32xbf16>
tt.func @batched(%a: tensor<2x16x64xf8E4M3FN>, %as: tensor<2x16x2xi8>,
                 %b: tensor<2x64x32xf8E4M3FN>, %bs: tensor<2x32x2xi8>,
                 %c: tensor<2x16x32xf32>) -> tensor<2x16x32xf32> {
  %d = tt.dot_scaled %a scale %as, %b scale %bs, %c lhs = e4m3 rhs = e4m3
      {fastMath = false}
      : tensor<2x16x64xf8E4M3FN>, tensor<2x16x2xi8>
      * tensor<2x64x32xf8E4M3FN>, tensor<2x32x2xi8> -> tensor<2x16x32xf32>
  tt.return %d : tensor<2x16x32xf32>
}

// Where a backend multiplies narrow types, those are used that have all values:
// bf16 for scales that are powers of two, f16 for others, but neither for f16
// that is scaled, nor for tiles that the backend does not multiply.
// MATRICES-LABEL: tt.func @fp4
// MATRICES: tt.dot {{.*}} : tensor<16x64xbf16> * tensor<64x32xbf16>
// MATRICES-LABEL: tt.func @f16
// MATRICES: tt.dot {{.*}} : tensor<16x64xf32> * tensor<64x32xf32>
// MATRICES-LABEL: tt.func @batched
// MATRICES: tt.dot {{.*}} : tensor<2x16x64xbf16> * tensor<2x64x32xbf16>
// MATRICES-LABEL: tt.func @nvfp4
// MATRICES: tt.dot {{.*}} : tensor<16x64xf16> * tensor<64x32xf16>
tt.func @nvfp4(%a: tensor<16x32xi8>, %as: tensor<16x4xf8E4M3FN>,
               %b: tensor<32x32xi8>, %bs: tensor<32x4xf8E4M3FN>,
               %c: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %d = tt.dot_scaled %a scale %as, %b scale %bs, %c lhs = e2m1 rhs = e2m1
      {fastMath = false}
      : tensor<16x32xi8>, tensor<16x4xf8E4M3FN>
      * tensor<32x32xi8>, tensor<32x4xf8E4M3FN> -> tensor<16x32xf32>
  tt.return %d : tensor<16x32xf32>
}

// A product of two e4m3 may be beyond f16.
// MATRICES-LABEL: tt.func @e4m3_by_e4m3
// MATRICES: tt.dot {{.*}} : tensor<16x64xbf16> * tensor<64x32xbf16>
tt.func @e4m3_by_e4m3(%a: tensor<16x64xf8E4M3FN>, %as: tensor<16x4xf8E4M3FN>,
                      %b: tensor<64x32xf8E5M2>, %c: tensor<16x32xf32>)
    -> tensor<16x32xf32> {
  %d = tt.dot_scaled %a scale %as, %b, %c lhs = e4m3 rhs = e5m2
      {fastMath = false}
      : tensor<16x64xf8E4M3FN>, tensor<16x4xf8E4M3FN>
      * tensor<64x32xf8E5M2> -> tensor<16x32xf32>
  tt.return %d : tensor<16x32xf32>
}

// MATRICES-LABEL: tt.func @small
// MATRICES: tt.dot {{.*}} : tensor<8x64xf32> * tensor<64x32xf32>
tt.func @small(%a: tensor<8x64xf8E4M3FN>, %b: tensor<64x32xf8E5M2>,
               %c: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %d = tt.dot_scaled %a, %b, %c lhs = e4m3 rhs = e5m2 {fastMath = false}
      : tensor<8x64xf8E4M3FN> * tensor<64x32xf8E5M2> -> tensor<8x32xf32>
  tt.return %d : tensor<8x32xf32>
}
