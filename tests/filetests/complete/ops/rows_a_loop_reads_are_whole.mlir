// test complete values
// test collectives
// test equal seeds=3
// Each trip reads one row of an array that is split by rows, and writes one of another: in the loop the first is whole along
// its rows, so they are gathered once and not asked for at each trip; of the second each device keeps the rows it holds.
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func public @main(
    %xs: tensor<8x4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {"y"}]>}
) -> (tensor<4x6xf32>, tensor<8x4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {"y"}]>}) {
  %i0 = stablehlo.constant dense<0> : tensor<i32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %h = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
  %ys0 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8x4x6xf32>
  %r:4 = stablehlo.while(%all = %xs, %i = %i0, %s = %h, %ys = %ys0) : tensor<8x4x6xf32>, tensor<i32>, tensor<4x6xf32>, tensor<8x4x6xf32>
  cond {
    %n = stablehlo.constant dense<8> : tensor<i32>
    %c = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %x = func.call @row(%all, %i) : (tensor<8x4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
    %t = stablehlo.add %s, %x : tensor<4x6xf32>
    %z = stablehlo.constant dense<0> : tensor<i32>
    %up = stablehlo.broadcast_in_dim %t, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %new = stablehlo.dynamic_update_slice %ys, %up, %i, %z, %z : (tensor<8x4x6xf32>, tensor<1x4x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<8x4x6xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %all, %next, %t, %new : tensor<8x4x6xf32>, tensor<i32>, tensor<4x6xf32>, tensor<8x4x6xf32>
  }
  return %r#2, %r#3 : tensor<4x6xf32>, tensor<8x4x6xf32>
}
func.func private @row(%all: tensor<8x4x6xf32>, %i: tensor<i32>) -> tensor<4x6xf32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %row = stablehlo.dynamic_slice %all, %i, %z, %z, sizes = [1, 4, 6] : (tensor<8x4x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x6xf32>
  %x = stablehlo.reshape %row : (tensor<1x4x6xf32>) -> tensor<4x6xf32>
  return %x : tensor<4x6xf32>
}
//| --- complete values
//| %xs [{"x"}, {}, {"y"}]
//| %h [{}, {"y"}]
//| %ys0 [{"x"}, {}, {"y"}]
//| %r#0 [{}, {}, {"y"}]
//| %r#2 [{}, {"y"}]
//| %r#3 [{"x"}, {}, {"y"}]
//| %all [{}, {}, {"y"}]
//| %s [{}, {"y"}]
//| %ys [{"x"}, {}, {"y"}]
//| %all [{}, {}, {"y"}]
//| %s [{}, {"y"}]
//| %ys [{"x"}, {}, {"y"}]
//| %x [{}, {"y"}]
//| %t [{}, {"y"}]
//| %up [{}, {}, {"y"}]
//| %new [{"x"}, {}, {"y"}]
//| %all [{}, {}, {"y"}]
//| %row [{}, {}, {"y"}]
//| %x [{}, {"y"}]
//| --- collectives
//| 1 all-gather over {"x"}: 288 bytes
//| 0 flops in contractions
//| --- equal seeds=3
