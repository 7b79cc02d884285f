//! The integration tests of `meshwright-spmd`: one binary, one module per subject.

mod gshard_table_4;
mod stages;
mod whole;
mod xla_form;
