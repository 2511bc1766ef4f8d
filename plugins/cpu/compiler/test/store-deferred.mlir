// A deferred store has the mask of its store, and three stores stay in order:
// ones everywhere, twos at the even elements, threes from 100 on. Strides and
// pointers are known only at run time. The kernel checks itself.
// RUN: nereid run %s --target cpu --grid 1 f32[2100]=zeros i32=1 --no-cache
// RUN: nereid run %s --target cpu --grid 1 f32[2100]=zeros i32=1 --no-cache -O fast_paths=none
// RUN: nereid run %s --target cpu --grid 1 f32[2100]=zeros i32=1 --no-cache -O fast_paths=all,-overlap-guard
// RUN: nereid run %s --target cpu --grid 1 f32[2100]=zeros i32=1 --no-cache -O fast_paths=all,-fuse
// RUN: nereid run %s --target cpu --grid 1 f32[2100]=zeros i32=1 --no-cache -O vector_bits=128

tt.func public @several(%p: !tt.ptr<f32>, %step: i32) {
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %one = arith.constant dense<1> : tensor<1024xi32>
  %zero = arith.constant dense<0> : tensor<1024xi32>
  %hundred = arith.constant dense<100> : tensor<1024xi32>
  %ones = arith.constant dense<1.0> : tensor<1024xf32>
  %twos = arith.constant dense<2.0> : tensor<1024xf32>
  %threes = arith.constant dense<3.0> : tensor<1024xf32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %steps = tt.splat %step : i32 -> tensor<1024xi32>
  %offsets = arith.muli %range, %steps : tensor<1024xi32>
  %at = tt.addptr %ps, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %again = tt.addptr %ps, %offsets : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %above = tt.addptr %at, %hundred : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %low = arith.andi %range, %one : tensor<1024xi32>
  %even = arith.cmpi eq, %low, %zero : tensor<1024xi32>
  tt.store %at, %ones : tensor<1024x!tt.ptr<f32>>
  tt.store %again, %twos, %even : tensor<1024x!tt.ptr<f32>>
  tt.store %above, %threes : tensor<1024x!tt.ptr<f32>>
  %x = tt.load %at : tensor<1024x!tt.ptr<f32>>
  %below = arith.select %even, %twos, %ones : tensor<1024xi1>, tensor<1024xf32>
  %isAbove = arith.cmpi sge, %range, %hundred : tensor<1024xi32>
  %expected = arith.select %isAbove, %threes, %below : tensor<1024xi1>, tensor<1024xf32>
  %same = arith.cmpf oeq, %x, %expected : tensor<1024xf32>
  tt.assert %same, "stores out of order" : tensor<1024xi1>
  tt.return
}
