//! Parses PTX files and says what was not understood: `cargo run -p ptx --example ptxcheck -- FILE…`

fn main() {
    for path in std::env::args().skip(1) {
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        let parse = ptx::parse(&text);
        for error in &parse.errors {
            println!("{path}:{error}");
        }
        println!("{path}: {} items, {} errors", parse.module.items.len(), parse.errors.len());
    }
}
