//! The planned program as a graph: global shapes, every change of sharding a node.

use crate::layers::Layers;
use crate::model::{Graph, Label, Node};
use crate::trace::{Input, Key, sharding_text};
use meshwright_base::IdMap;
use meshwright_ir::{BlockId, Function, InstId, Module, ValueId};

/// The graph, and the node of each instruction and value of the main function.
pub struct Drawn {
    pub graph: Graph,
    pub node_of: IdMap<ValueId, Option<usize>>,
}

/// All is in the main function by now.
pub fn graph(planned: &Module, input: &Input, layers: &Layers) -> Drawn {
    let func = planned.main();
    let mut drawing = Drawing {
        planned,
        func,
        input,
        layers,
        drawn: Drawn { graph: Graph::default(), node_of: IdMap::filled(func.value_count(), None) },
    };
    for (index, value) in func.param_values().iter().enumerate() {
        let label = input.label(Key::Param(index), sharding_text(func, *value, &planned.meshes));
        drawing.drawn.node_of[*value] = Some(drawing.drawn.graph.nodes.len());
        drawing.drawn.graph.nodes.push(Node {
            label,
            layer: layers.elsewhere(),
            bytes: func.ty(*value).byte_size(),
            ..Node::default()
        });
    }
    drawing.block(func.root(), None);
    drawing.adopt_parameters();
    drawing.drawn
}

struct Drawing<'a> {
    planned: &'a Module,
    func: &'a Function,
    input: &'a Input,
    layers: &'a Layers,
    drawn: Drawn,
}

impl Drawing<'_> {
    fn block(&mut self, block: BlockId, parent: Option<usize>) {
        for inst in &self.func.block(block).insts {
            self.inst(*inst, parent);
        }
    }

    fn inst(&mut self, inst: InstId, parent: Option<usize>) {
        let info = self.func.inst(inst);
        let label: Label = self.input.label_of_inst(self.func, inst, &self.planned.meshes);
        let inputs = info.operands.iter().filter_map(|value| self.drawn.node_of[*value]).collect();
        let bytes = info.results.iter().map(|value| self.func.ty(*value).byte_size()).sum();
        let at = self.drawn.graph.nodes.len();
        let layer = self.layers.at(info.source);
        self.drawn.graph.nodes.push(Node { label, layer, inputs, parent, bytes, collectives: Vec::new() });
        for value in &info.results {
            self.drawn.node_of[*value] = Some(at);
        }
        if info.op.runs_regions() {
            for region in &info.regions {
                // What a loop carries is, to its body, what the loop is given.
                for (index, param) in self.func.block(*region).params.iter().enumerate() {
                    let given = info.operands.get(index).and_then(|value| self.drawn.node_of[*value]);
                    self.drawn.node_of[*param] = given.or(Some(at));
                }
                self.block(*region, Some(at));
            }
        }
    }

    /// A parameter is where it is used first.
    fn adopt_parameters(&mut self) {
        let nodes = &mut self.drawn.graph.nodes;
        let mut found: Vec<(usize, usize)> = Vec::new();
        for node in nodes.iter() {
            found.extend(node.inputs.iter().map(|input| (*input, node.layer)));
        }
        let elsewhere = self.layers.elsewhere();
        for (input, layer) in found {
            if nodes[input].layer == elsewhere && layer != elsewhere {
                nodes[input].layer = layer;
            }
        }
    }
}
