//! The graph in the JSON that Google's Model Explorer reads: one collection of one graph, nodes nested by scope, with
//! shardings, sizes and collectives as attributes that it can color by.

use crate::model::{Explanation, Node};
use crate::overview::value;
use meshwright_base::units::bytes;
use serde_json::{Value, json};

/// The whole file.
pub fn model_explorer(of: &Explanation) -> Value {
    let nodes: Vec<Value> = of.graph.nodes.iter().enumerate().map(|(id, one)| node(of, id, one)).collect();
    let name = if of.program.name.is_empty() { "program" } else { &of.program.name };
    json!({ "label": name, "graphs": [{ "id": name, "nodes": nodes }] })
}

fn node(of: &Explanation, id: usize, node: &Node) -> Value {
    let label = &node.label;
    let edges = node.inputs.iter().enumerate().map(|(at, input)| {
        json!({ "sourceNodeId": input.to_string(), "sourceNodeOutputId": "0", "targetNodeInputId": at.to_string() })
    });
    let edges: Vec<Value> = edges.collect();
    let mut out = json!({
        "id": id.to_string(),
        "label": label.called.as_ref().unwrap_or(&label.op),
        "namespace": namespace(of, node),
        "incomingEdges": edges,
        "attrs": attributes(of, node),
    });
    let split = label.sharding.as_deref().unwrap_or("not split");
    out["outputsMetadata"] = json!([{
        "id": "0",
        "attrs": [pair("tensor_shape", &label.ty), pair("sharding", split), pair("bytes", &bytes(node.bytes as f64))],
    }]);
    out
}

/// The scopes of the op's name with their numbers, else the layer.
fn namespace(of: &Explanation, node: &Node) -> String {
    let layer = of.layers.get(node.layer).map_or("", |layer| layer.name.as_str());
    let scope = node.label.op_name.as_deref().map(crate::layers::scope_of_name).unwrap_or_default();
    if scope.is_empty() { layer.to_string() } else { scope.join("/") }
}

fn attributes(of: &Explanation, node: &Node) -> Vec<Value> {
    let label = &node.label;
    let mut found = vec![pair("value", &label.name)];
    let mut add = |key: &str, text: Option<String>| found.extend(text.map(|text| pair(key, &text)));
    add("sharding", label.sharding.clone());
    add("op_name", label.op_name.as_deref().map(str::to_string));
    add("source", label.site.as_ref().map(|site| format!("{}:{}", site.file, site.line)));
    let collectives = node.collectives.iter().filter_map(|at| of.collectives.get(*at));
    for (number, one) in collectives.enumerate() {
        let mark = if number == 0 { String::new() } else { format!(" {}", number + 1) };
        add(&format!("collective{mark}"), Some(format!("{} over {}", one.kind, one.axes)));
        add(&format!("bytes sent{mark}"), Some(bytes(one.sent)));
        add(&format!("reason{mark}"), Some(format!("{}: {}", value(&one.value), one.reason.text)));
    }
    found
}

fn pair(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": value })
}
