// maxnumf and minnumf return the number where one operand is NaN, also where a
// pass could fold them: with an infinity, which other folds take for neutral,
// and with two constants.
// RUN: nereid run %s --target cpu --grid 1 f32[4]=zeros
// RUN: nereid run %s --target cpu --grid 1 f32[4]=zeros -O fast_paths=none

tt.func public @maximum_of_nan(%p: !tt.ptr<f32>) {
  %i = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %pa = tt.addptr %ps, %i : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  %zero = tt.load %pa : tensor<4x!tt.ptr<f32>>
  %nan = arith.divf %zero, %zero : tensor<4xf32>
  %lowest = arith.constant dense<0xFF800000> : tensor<4xf32>
  %highest = arith.constant dense<0x7F800000> : tensor<4xf32>
  %max = arith.maxnumf %nan, %lowest : tensor<4xf32>
  %isLowest = arith.cmpf oeq, %max, %lowest : tensor<4xf32>
  tt.assert %isLowest, "maxnumf(NaN, -inf) is not -inf" : tensor<4xi1>
  %min = arith.minnumf %nan, %highest : tensor<4xf32>
  %isHighest = arith.cmpf oeq, %min, %highest : tensor<4xf32>
  tt.assert %isHighest, "minnumf(NaN, inf) is not inf" : tensor<4xi1>

  %n = arith.constant 0x7FC00000 : f32
  %seven = arith.constant 7.0 : f32
  %left = arith.maxnumf %n, %seven : f32
  %isLeft = arith.cmpf oeq, %left, %seven : f32
  tt.assert %isLeft, "maxnumf(NaN, 7) is not 7" : i1
  %right = arith.minnumf %seven, %n : f32
  %isRight = arith.cmpf oeq, %right, %seven : f32
  tt.assert %isRight, "minnumf(7, NaN) is not 7" : i1
  tt.return
}
