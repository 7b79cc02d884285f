// test parse
// The mesh of a declaration in the generic form is an attribute of Shardy.
"builtin.module"() ({
  "sdy.mesh"() <{sym_name = "mesh", mesh = 3}> : () -> () //~ ERROR attribute `mesh` must be #sdy.mesh<..>
}) : () -> ()
