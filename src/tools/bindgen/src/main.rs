//! `unnorm-bindgen INPUT.wasm OUTPUT_FOLDER`: writes `unnorm.js`, `unnorm.d.ts` and
//! `unnorm_bg.wasm`, like `wasm-bindgen --target web`. This separate tool exists because the
//! library compiles in a quarter of the time of the command line program, and the crate's lock file
//! pins its version.

use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, folder] = arguments.as_slice() else {
        eprintln!("usage: unnorm-bindgen INPUT.wasm OUTPUT_FOLDER");
        return ExitCode::from(2);
    };
    match generate(input, folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("unnorm-bindgen: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn generate(input: &str, folder: &str) -> anyhow::Result<()> {
    Bindgen::new()
        .input_path(input)
        .out_name("unnorm")
        .web(true)?
        .typescript(true)
        // Bundlers find the wasm by `new URL('unnorm_bg.wasm', import.meta.url)`.
        .omit_default_module_path(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(folder)
}
