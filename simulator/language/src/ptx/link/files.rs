//! The files of a linked module, for the driver of a GPU, which links them again.

use super::super::ast::Module;
use super::super::print;
use super::link;

/// The names and the texts of the files that a module is linked from, also the toolchain's. `None`
/// when it comes from one file, or differs from its files. In that case a pass has rewritten it,
/// and its own text is all there is of it.
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
    // Texts that do not link do not belong to this module either.
    let again = link(&bytes).ok()?;
    // This compares the printed text, since a constant that is no number does not equal itself.
    (print(&again) == print(module)).then_some(files)
}
