//! Writes models of images and sound as StableHLO with their annotations, for others to partition: `FOLDER`.

mod models;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("name a folder to write to")?;
    let folder = std::path::Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    for case in models::all()? {
        for (part, program) in [("forward", &case.forward), ("step", &case.step)] {
            let text = meshwright_text::print(program.module(), meshwright_text::Format::Stablehlo);
            std::fs::write(folder.join(format!("{}-{part}.mlir", case.name)), text)?;
        }
    }
    Ok(())
}
