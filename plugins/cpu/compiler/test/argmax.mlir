// Of equal values tl.argmax takes the lower index. Elements follow those that an
// accumulator holds, so that its index is the lower one; only where accumulators
// and lanes are combined are indices compared. A loaded index is always compared.
// RUN: split-file %s %t
// RUN: nereid compile %t/argmax.mlir --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s
// RUN: nereid compile %t/argmax.mlir --target cpu -O cpu=x86-64-v3 -O fast_paths=all,-ascending-index --stop-after llir -o - | FileCheck %s --check-prefix=COMPARED
// RUN: nereid compile %t/loaded.mlir --target cpu -O cpu=x86-64-v3 --stop-after llir -o - | FileCheck %s --check-prefix=COMPARED
// RUN: nereid run %t/argmax.mlir --target cpu --grid 1 f32[1024]=zeros i32[1]=full:7 --no-cache
// RUN: nereid run %t/argmax.mlir --target cpu --grid 1 f32[1024]=zeros i32[1]=full:7 -O fast_paths=none --no-cache

// CHECK: {{^}}loop
// CHECK: fcmp oeq <8 x float>
// CHECK-NOT: icmp slt <8 x i32>
// CHECK: {{^}}exit
// COMPARED: {{^}}loop
// COMPARED: fcmp oeq <8 x float>
// COMPARED: icmp slt <8 x i32>
// COMPARED: {{^}}exit

//--- argmax.mlir
tt.func public @argmax(%p: !tt.ptr<f32>, %out: !tt.ptr<i32>) {
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %q = tt.addptr %ps, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %x = tt.load %q : tensor<1024x!tt.ptr<f32>>
  %most:2 = "tt.reduce"(%x, %i) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %ia: i32, %b: f32, %ib: i32):
    %same = arith.cmpf oeq, %a, %b : f32
    %first = arith.cmpi slt, %ia, %ib : i32
    %tie = arith.andi %same, %first : i1
    %above = arith.cmpf ogt, %a, %b : f32
    %take = arith.ori %above, %tie : i1
    %v = arith.select %take, %a, %b : f32
    %iv = arith.select %take, %ia, %ib : i32
    tt.reduce.return %v, %iv : f32, i32
  }) : (tensor<1024xf32>, tensor<1024xi32>) -> (f32, i32)
  tt.store %out, %most#1 : !tt.ptr<i32>
  %c0 = arith.constant 0 : i32
  %isFirst = arith.cmpi eq, %most#1, %c0 : i32
  tt.assert %isFirst, "not the first of equal values" : i1
  tt.return
}

//--- loaded.mlir
tt.func public @loaded(%p: !tt.ptr<f32>, %out: !tt.ptr<i32>) {
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %q = tt.addptr %ps, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %x = tt.load %q : tensor<1024x!tt.ptr<f32>>
  %is = tt.splat %out : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %iq = tt.addptr %is, %i : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %places = tt.load %iq : tensor<1024x!tt.ptr<i32>>
  %most:2 = "tt.reduce"(%x, %places) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %ia: i32, %b: f32, %ib: i32):
    %same = arith.cmpf oeq, %a, %b : f32
    %first = arith.cmpi slt, %ia, %ib : i32
    %tie = arith.andi %same, %first : i1
    %above = arith.cmpf ogt, %a, %b : f32
    %take = arith.ori %above, %tie : i1
    %v = arith.select %take, %a, %b : f32
    %iv = arith.select %take, %ia, %ib : i32
    tt.reduce.return %v, %iv : f32, i32
  }) : (tensor<1024xf32>, tensor<1024xi32>) -> (f32, i32)
  tt.store %out, %most#1 : !tt.ptr<i32>
  tt.return
}
