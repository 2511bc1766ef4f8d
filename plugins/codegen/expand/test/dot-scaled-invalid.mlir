// Six-bit formats have no type and no conversion.
// RUN: not nereid-expand %s 2>&1 | FileCheck %s

// CHECK: dot-scaled-invalid.mlir":[[#@LINE + 4]]:8): error: 'tt.dot_scaled' op multiplies e2m3 held in 'i8', which has no conversion
tt.func @e2m3(%a: tensor<16x64xi8>, %as: tensor<16x2xi8>,
              %b: tensor<64x32xf8E5M2>, %bs: tensor<32x2xi8>,
              %c: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %d = tt.dot_scaled %a scale %as, %b scale %bs, %c lhs = e2m3 rhs = e5m2
      {fastMath = false}
      : tensor<16x64xi8>, tensor<16x2xi8> * tensor<64x32xf8E5M2>,
      tensor<32x2xi8> -> tensor<16x32xf32>
  tt.return %d : tensor<16x32xf32>
}
