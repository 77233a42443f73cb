//! The command as people use it: what the documentation shows, help texts and messages.
//!
//! Each file holds commands and what they print; paths in it are relative to the repository. A
//! difference fails; `TRYCMD=overwrite` writes what was printed, to be read before it is kept.

#[test]
fn the_documentation_shows_what_the_command_prints() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    std::env::set_current_dir(root).expect("the repository is there");
    trycmd::TestCases::new()
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .case("docs/cli.md")
        .case("cli/tests/cmd/*.trycmd")
        .case("cli/tests/cmd/*.toml");
}
