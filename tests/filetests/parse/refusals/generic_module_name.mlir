// test parse
// The name of a module in the generic form is a string.
"builtin.module"() <{sym_name = 3}> ({ //~ ERROR attribute `sym_name` must be a string
}) : () -> ()
