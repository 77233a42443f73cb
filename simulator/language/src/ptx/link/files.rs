//! The files of a linked module, for a linker that does it again: a GPU's driver.

use super::super::ast::Module;
use super::super::print;
use super::link;

/// The names and the texts of the files that a module is linked of, those of the toolchain too.
/// `None` when it is of one file, or says something else than its files do: then a pass has
/// rewritten it, and its own text is all there is of it.
///
/// ```
/// use warpsim::ptx;
///
/// let text = |name: &str| format!(".version 7.0 .target sm_70 .address_size 64 .visible .entry {name}() {{ ret; }}");
/// let (a, b) = (text("a"), text("b"));
/// let module = ptx::link(&[("a.ptx", a.as_bytes()), ("b.ptx", b.as_bytes())])?;
/// assert_eq!(ptx::linked_files(&module), Some(vec![("a.ptx", &*a), ("b.ptx", &*b)]));
///
/// let rewritten = ptx::Module { items: module.items[..1].to_vec(), ..module };
/// assert_eq!(ptx::linked_files(&rewritten), None);
/// # Ok::<(), Box<ptx::LinkError>>(())
/// ```
pub fn linked_files(module: &Module) -> Option<Vec<(&str, &str)>> {
    let files: Vec<(&str, &str)> = module.source.files().collect();
    if files.len() < 2 {
        return None;
    }
    let bytes: Vec<(&str, &[u8])> =
        files.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    // Texts that do not link are not those of this module either.
    let again = link(&bytes).ok()?;
    // What is printed is compared, since a constant that is no number does not equal itself.
    (print(&again) == print(module)).then_some(files)
}
