// test parse
// An attribute is refused where it is missing, of another kind, or out of range.
func.func @main(%a: tensor<4xf32>, %b: tensor<4x4xf32>, %i: tensor<4xi32>) {
  %0 = "stablehlo.transpose"(%b) <{permutation = "10"}> : (tensor<4x4xf32>) -> tensor<4x4xf32> //~ ERROR attribute `permutation` must be a list of dims
  %1 = "stablehlo.transpose"(%b) <{permutation = array<i64: 1, -1>}> : (tensor<4x4xf32>) -> tensor<4x4xf32> //~ ERROR attribute `permutation` must be a list of dims
  %2 = "stablehlo.pad"(%a, %a) <{edge_padding_low = 1 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> //~ ERROR attribute `edge_padding_low` must be a list of numbers
  %3 = "stablehlo.pad"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> //~ ERROR stablehlo.pad needs the attribute `edge_padding_low`
  %4 = "stablehlo.reduce_precision"(%a) <{exponent_bits = "5"}> : (tensor<4xf32>) -> tensor<4xf32> //~ ERROR attribute `exponent_bits` must be a number
  %5 = "stablehlo.reduce_precision"(%a) : (tensor<4xf32>) -> tensor<4xf32> //~ ERROR stablehlo.reduce_precision needs the attribute `exponent_bits`
  %6 = "stablehlo.reduce_precision"(%a) <{exponent_bits = -5 : i32, mantissa_bits = 10 : i32}> : (tensor<4xf32>) -> tensor<4xf32> //~ ERROR no format has -5 and 10 bits
  %7 = "stablehlo.concatenate"(%a, %a) <{dimension = -1 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32> //~ ERROR attribute `dimension` must be a dim
  %8 = "stablehlo.cholesky"(%b) <{lower = "yes"}> : (tensor<4x4xf32>) -> tensor<4x4xf32> //~ ERROR attribute `lower` must be true or false
  %9 = "stablehlo.custom_call"(%a) <{call_target_name = 3}> : (tensor<4xf32>) -> tensor<4xf32> //~ ERROR attribute `call_target_name` must be a string
  %10 = "stablehlo.fft"(%a) <{fft_length = array<i64: 4>}> : (tensor<4xf32>) -> tensor<4xf32> //~ ERROR stablehlo.fft needs the attribute `fft_type`
  %11 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type DCT>, fft_length = array<i64: 4>}> : (tensor<4xf32>) -> tensor<4xf32> //~ ERROR attribute `fft_type` must be one of FFT
  %12 = stablehlo.negate %a {x.y = @f::@g} : tensor<4xf32> //~ ERROR nested symbols are not supported
  %13 = stablehlo.negate %a {x.y = -x} : tensor<4xf32> //~ ERROR expected a number, found `x`
  %14 = stablehlo.negate %a {x.y = 99999999999999999999} : tensor<4xf32> //~ ERROR `99999999999999999999` does not fit 64 bits
  %15 = stablehlo.negate %a {x.y = array<i1: 2.0>} : tensor<4xf32> //~ ERROR the items are not of the array's element type
  %16 = stablehlo.negate %a {x.y = array<i64: "1">} : tensor<4xf32> //~ ERROR the items are not of the array's element type
  %17 = stablehlo.negate %a {x.y = #shape} : tensor<4xf32> //~ ERROR attribute alias `#shape` is not defined above
  %18 = stablehlo.negate %a {x.y = array<i32: 1 ; 2>} : tensor<4xf32> //~ ERROR expected `>`, found ";", which is no token
  %19 = stablehlo.slice %a [0:99999999999999999999] : (tensor<4xf32>) -> tensor<4xf32> //~ ERROR this number is out of range
  %20 = stablehlo.negate %a : tuple<tensor<4xf32>> //~ ERROR expected a tensor or token type, found a tuple
  %21 = stablehlo.constant dense<1> : !stablehlo.token //~ ERROR expected a tensor type, found a token
  %22 = stablehlo.negate %a : !tensor //~ ERROR unknown type `!tensor`
  %23 = stablehlo.negate %a : tensor<4xf32, #x.bounds<4>> //~ ERROR tensor encodings (bounded or sparse dims) are not supported
  %24 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> !stablehlo.token //~ ERROR stablehlo.iota must have a tensor as result 0
  %25 = "stablehlo.negate"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> //~ ERROR stablehlo.negate takes 1 operands, but 2 are given
  %26:2 = "stablehlo.negate"(%a) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) //~ ERROR stablehlo.negate has 1 results, but 2 types are given
  %27 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> : (tensor<4xf32>) -> tensor<4xf32> //~ ERROR stablehlo.sort has 1 regions, but 0 are given
  %28 = "chlo.mulhi"(%i) : (tensor<4xi32>) -> tensor<4xi32> //~ ERROR chlo.mulhi takes 2 operands, but 1 are given
  %29 = chlo.mulhi %a, %a : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32> //~ ERROR chlo.mulhi of f32 is not supported
  %30 = "stablehlo.constant"() <{value = 3 : i32}> : () -> tensor<i32> //~ ERROR attribute `value` must be a literal as dense<..> : tensor<..>
  %31 = "stablehlo.get_dimension_size"(%a) <{dimension = 1 : i64}> : (tensor<4xf32>) -> tensor<i32> //~ ERROR dim 1 is asked of a value with 1 dims
  %32:3 = "stablehlo.batch_norm_training"(%b, %a, %a) <{epsilon = 1 : i64, feature_index = 1 : i64}> : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>) //~ ERROR attribute `epsilon` must be a float
  %33 = stablehlo.negate %a {x.y = 1.5 : i32} : tensor<4xf32> //~ ERROR `1.5` is not a number of type `i32`
  %34 = stablehlo.negate %a {x.y = 0x7FC00000FF : f32} : tensor<4xf32> //~ ERROR `0x7FC00000FF` is not a number of type `f32`
  %35 = stablehlo.negate %a : tensor 4 //~ ERROR expected `<`, found `4`
  %36 = stablehlo.negate %a : tensor<9999999999x9999999999xf32> //~ ERROR has more bytes than can be counted
  %37 = stablehlo.negate %a : tensor<99999999999999999999xf32> //~ ERROR a dim is out of range or not followed by `x`
  %38 = stablehlo.negate %a : !quant.uniform<i8:f32, 1.0> //~ ERROR quantized types are not supported
  return
}
