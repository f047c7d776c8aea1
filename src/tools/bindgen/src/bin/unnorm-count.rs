//! `unnorm-count INPUT.wasm OUTPUT.wasm`: adds a counter of instructions, the exported global
//! `instructions`.
//!
//! Each sequence of instructions adds its length when it begins: a body, an arm, and a loop each time
//! around. What a branch leaves out of a sequence is counted, too. So the count is not exact; but it
//! is the same on every machine, and grows with the work.

use std::process::ExitCode;
use walrus::ir::{
    self, BinaryOp, Const, GlobalGet, GlobalSet, InstrSeq, InstrSeqId, Value, Visitor,
};
use walrus::{ConstExpr, FunctionKind, GlobalId, LocalFunction, Module, ValType};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, output] = arguments.as_slice() else {
        eprintln!("usage: unnorm-count INPUT.wasm OUTPUT.wasm");
        return ExitCode::from(2);
    };
    match count(input, output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("unnorm-count: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn count(input: &str, output: &str) -> anyhow::Result<()> {
    let mut module = Module::from_file(input)?;
    let zero = ConstExpr::Value(Value::I64(0));
    let counter = module.globals.add_local(ValType::I64, true, false, zero);
    module.exports.add("instructions", counter);
    for function in module.funcs.iter_mut() {
        if let FunctionKind::Local(function) = &mut function.kind {
            count_in(function, counter);
        }
    }
    module.emit_wasm_file(output)
}

fn count_in(function: &mut LocalFunction, counter: GlobalId) {
    let mut sequences = Sequences::default();
    ir::dfs_in_order(&mut sequences, function, function.entry_block());
    for id in sequences.0 {
        let instructions = &mut function.block_mut(id).instrs;
        let length = instructions.len() as i64;
        let added: [ir::Instr; 4] = [
            GlobalGet { global: counter }.into(),
            Const { value: Value::I64(length) }.into(),
            ir::Binop { op: BinaryOp::I64Add }.into(),
            GlobalSet { global: counter }.into(),
        ];
        instructions.splice(0..0, added.map(|instruction| (instruction, Default::default())));
    }
}

/// All sequences of a function.
#[derive(Default)]
struct Sequences(Vec<InstrSeqId>);

impl<'instr> Visitor<'instr> for Sequences {
    fn start_instr_seq(&mut self, sequence: &'instr InstrSeq) {
        self.0.push(sequence.id());
    }
}
