module @layer {
  sdy.mesh @mesh = <["data"=4, "model"=2]>
  func.func public @main(%x: tensor<64x32xf32>, %up: tensor<32x128xf32>, %down: tensor<128x32xf32>) -> (tensor<64x32xf32> {jax.result_info = "result"}) {
    %0 = sdy.sharding_constraint %x <@mesh, [{"data"}, {}]> : tensor<64x32xf32>
    %1 = sdy.sharding_constraint %up <@mesh, [{}, {"model"}]> : tensor<32x128xf32>
    %h = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x128xf32>) -> tensor<64x128xf32>
    %3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
    %r = stablehlo.maximum %h, %4 : tensor<64x128xf32>
    %y = stablehlo.dot_general %r, %down, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x32xf32>) -> tensor<64x32xf32>
    return %y : tensor<64x32xf32>
  }
}
