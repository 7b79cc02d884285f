module @jit_integer_arithmetic attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x5xi32>, %arg1: tensor<3x5xi32>) -> (tensor<3x5xi32> {jax.result_info = "result[0]"}, tensor<3x5xi32> {jax.result_info = "result[1]"}, tensor<3x5xi32> {jax.result_info = "result[2]"}, tensor<3x5xi32> {jax.result_info = "result[3]"}, tensor<3x5xi32> {jax.result_info = "result[4]"}, tensor<3x5xi32> {jax.result_info = "result[5]"}, tensor<3x5xi32> {jax.result_info = "result[6]"}, tensor<3x5xi32> {jax.result_info = "result[7]"}, tensor<3x5xi32> {jax.result_info = "result[8]"}, tensor<3x5xi32> {jax.result_info = "result[9]"}, tensor<3x5xi32> {jax.result_info = "result[10]"}, tensor<3x5xi32> {jax.result_info = "result[11]"}, tensor<3x5xi32> {jax.result_info = "result[12]"}, tensor<3x5xi32> {jax.result_info = "result[13]"}, tensor<3x5xi1> {jax.result_info = "result[14]"}, tensor<3x5xi1> {jax.result_info = "result[15]"}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<3x5xi32>
    %1 = stablehlo.subtract %arg0, %arg1 : tensor<3x5xi32>
    %2 = stablehlo.multiply %arg0, %arg1 : tensor<3x5xi32>
    %3 = stablehlo.divide %arg0, %arg1 : tensor<3x5xi32>
    %4 = stablehlo.remainder %arg0, %arg1 : tensor<3x5xi32>
    %5 = call @floor_divide(%arg0, %arg1) : (tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi32>
    %6 = call @remainder(%arg0, %arg1) : (tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi32>
    %7 = stablehlo.negate %arg0 : tensor<3x5xi32>
    %8 = stablehlo.abs %arg0 : tensor<3x5xi32>
    %9 = stablehlo.sign %arg0 : tensor<3x5xi32>
    %10 = stablehlo.maximum %arg0, %arg1 : tensor<3x5xi32>
    %11 = stablehlo.minimum %arg0, %arg1 : tensor<3x5xi32>
    %12 = stablehlo.multiply %arg0, %arg0 : tensor<3x5xi32>
    %13 = stablehlo.multiply %12, %arg0 : tensor<3x5xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %15 = stablehlo.compare EQ, %arg0, %14, SIGNED : (tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi1>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %17 = stablehlo.compare NE, %arg1, %16, SIGNED : (tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi1>
    %18 = stablehlo.and %15, %17 : tensor<3x5xi1>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %19 = call @_where_0(%18, %c_1, %c_2) : (tensor<3x5xi1>, tensor<i32>, tensor<i32>) -> tensor<3x5xi32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %20 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %21 = stablehlo.and %arg1, %20 : tensor<3x5xi32>
    %22 = stablehlo.multiply %19, %arg0 : tensor<3x5xi32>
    %23 = call @_where_1(%21, %22, %19) : (tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi32>
    %24 = stablehlo.multiply %arg0, %arg0 : tensor<3x5xi32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %25 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %26 = stablehlo.shift_right_logical %arg1, %25 : tensor<3x5xi32>
    %c_5 = stablehlo.constant dense<1> : tensor<i32>
    %27 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %28 = stablehlo.and %26, %27 : tensor<3x5xi32>
    %29 = stablehlo.multiply %23, %24 : tensor<3x5xi32>
    %30 = call @_where_1(%28, %29, %23) : (tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi32>
    %31 = stablehlo.multiply %24, %24 : tensor<3x5xi32>
    %c_6 = stablehlo.constant dense<1> : tensor<i32>
    %32 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %33 = stablehlo.shift_right_logical %26, %32 : tensor<3x5xi32>
    %c_7 = stablehlo.constant dense<1> : tensor<i32>
    %34 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %35 = stablehlo.and %33, %34 : tensor<3x5xi32>
    %36 = stablehlo.multiply %30, %31 : tensor<3x5xi32>
    %37 = call @_where_1(%35, %36, %30) : (tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi32>
    %38 = stablehlo.multiply %31, %31 : tensor<3x5xi32>
    %c_8 = stablehlo.constant dense<1> : tensor<i32>
    %39 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %40 = stablehlo.shift_right_logical %33, %39 : tensor<3x5xi32>
    %c_9 = stablehlo.constant dense<1> : tensor<i32>
    %41 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %42 = stablehlo.and %40, %41 : tensor<3x5xi32>
    %43 = stablehlo.multiply %37, %38 : tensor<3x5xi32>
    %44 = call @_where_1(%42, %43, %37) : (tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi32>
    %45 = stablehlo.multiply %38, %38 : tensor<3x5xi32>
    %c_10 = stablehlo.constant dense<1> : tensor<i32>
    %46 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %47 = stablehlo.shift_right_logical %40, %46 : tensor<3x5xi32>
    %c_11 = stablehlo.constant dense<1> : tensor<i32>
    %48 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %49 = stablehlo.and %47, %48 : tensor<3x5xi32>
    %50 = stablehlo.multiply %44, %45 : tensor<3x5xi32>
    %51 = call @_where_1(%49, %50, %44) : (tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi32>
    %52 = stablehlo.multiply %45, %45 : tensor<3x5xi32>
    %c_12 = stablehlo.constant dense<1> : tensor<i32>
    %53 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %54 = stablehlo.shift_right_logical %47, %53 : tensor<3x5xi32>
    %c_13 = stablehlo.constant dense<1> : tensor<i32>
    %55 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %56 = stablehlo.and %54, %55 : tensor<3x5xi32>
    %57 = stablehlo.multiply %51, %52 : tensor<3x5xi32>
    %58 = call @_where_1(%56, %57, %51) : (tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi32>
    %59 = stablehlo.multiply %52, %52 : tensor<3x5xi32>
    %c_14 = stablehlo.constant dense<1> : tensor<i32>
    %60 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %61 = stablehlo.shift_right_logical %54, %60 : tensor<3x5xi32>
    %62 = stablehlo.compare LT, %arg0, %arg1, SIGNED : (tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi1>
    %63 = stablehlo.compare EQ, %arg0, %arg1, SIGNED : (tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi1>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %13, %58, %62, %63 : tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi1>, tensor<3x5xi1>
  }
  func.func private @floor_divide(%arg0: tensor<3x5xi32>, %arg1: tensor<3x5xi32>) -> tensor<3x5xi32> {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<3x5xi32>
    %1 = stablehlo.sign %arg0 : tensor<3x5xi32>
    %2 = stablehlo.sign %arg1 : tensor<3x5xi32>
    %3 = stablehlo.compare NE, %1, %2, SIGNED : (tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi1>
    %4 = stablehlo.remainder %arg0, %arg1 : tensor<3x5xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi1>
    %7 = stablehlo.and %3, %6 : tensor<3x5xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %9 = stablehlo.subtract %0, %8 : tensor<3x5xi32>
    %10 = call @_where(%7, %9, %0) : (tensor<3x5xi1>, tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi32>
    return %10 : tensor<3x5xi32>
  }
  func.func private @_where(%arg0: tensor<3x5xi1>, %arg1: tensor<3x5xi32>, %arg2: tensor<3x5xi32>) -> tensor<3x5xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3x5xi1>, tensor<3x5xi32>
    return %0 : tensor<3x5xi32>
  }
  func.func private @remainder(%arg0: tensor<3x5xi32>, %arg1: tensor<3x5xi32>) -> tensor<3x5xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %1 = stablehlo.compare EQ, %arg1, %0, SIGNED : (tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %3 = call @_where(%1, %2, %arg1) : (tensor<3x5xi1>, tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<3x5xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %10 = stablehlo.compare LT, %3, %9, SIGNED : (tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<3x5xi1>, tensor<3x5xi1>) -> tensor<3x5xi1>
    %12 = stablehlo.and %11, %6 : tensor<3x5xi1>
    %13 = stablehlo.add %4, %3 : tensor<3x5xi32>
    %14 = stablehlo.select %12, %13, %4 : tensor<3x5xi1>, tensor<3x5xi32>
    return %14 : tensor<3x5xi32>
  }
  func.func private @_where_0(%arg0: tensor<3x5xi1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<3x5xi32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %2 = stablehlo.select %arg0, %0, %1 : tensor<3x5xi1>, tensor<3x5xi32>
    return %2 : tensor<3x5xi32>
  }
  func.func private @_where_1(%arg0: tensor<3x5xi32>, %arg1: tensor<3x5xi32>, %arg2: tensor<3x5xi32>) -> tensor<3x5xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
    %1 = stablehlo.compare NE, %arg0, %0, SIGNED : (tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi1>
    %2 = stablehlo.select %1, %arg1, %arg2 : tensor<3x5xi1>, tensor<3x5xi32>
    return %2 : tensor<3x5xi32>
  }
}
