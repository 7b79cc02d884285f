// test parse
// What a `Sharding` call leaves open is a list of dims: nothing else is an annotation.
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.custom_call @Sharding(%x) {backend_config = "unspecified_dims=[]", mhlo.sharding = "{devices=[4,1]<=[4]}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.custom_call @Sharding(%0) {backend_config = "unspecified_dims=[0,,1]", mhlo.sharding = "{devices=[4,1]<=[4]}"} : (tensor<8x8xf32>) -> tensor<8x8xf32> //~ ERROR attribute `backend_config` must be `unspecified_dims=[..]`, a list of dims
  %2 = stablehlo.custom_call @Sharding(%0) {backend_config = "open_dims=[0]", mhlo.sharding = "{devices=[4,1]<=[4]}"} : (tensor<8x8xf32>) -> tensor<8x8xf32> //~ ERROR attribute `backend_config` must be
  return %0 : tensor<8x8xf32>
}
