//! Which files of a crate import which: read from the sources by `syn`, for the tests of the layout
//! and for the pictures in the book.
//!
//! An import is a `use`, or a path that begins with `crate`, `super` or `self`, outside unit tests.
//! A re-export leads on to the file that defines the item, and is no separate import. Paths in the
//! arguments of macros are not seen, so an import may be missed there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

/// A module of a crate, by its path from the root: `machine::access`; empty for the root itself.
pub(crate) type Module = String;

/// The imports between the files of a crate.
#[derive(Debug)]
pub(crate) struct Imports {
    files: BTreeMap<Module, Source>,
}

/// A file: what it defines, what it imports, and what it hands on.
#[derive(Debug, Default)]
struct Source {
    path: PathBuf,
    items: BTreeSet<String>,
    used: Vec<Vec<String>>,
    /// Names that it exports from elsewhere, each with the path from there.
    exports: BTreeMap<String, Vec<String>>,
    /// Modules that it exports everything of.
    globs: Vec<Vec<String>>,
}

impl Imports {
    /// Reads all sources below the folder `src` of a crate but its unit tests.
    pub(crate) fn of(src: &Path) -> Imports {
        let mut files = BTreeMap::new();
        read(src, &mut Vec::new(), &mut files);
        Imports { files }
    }

    /// The modules that have a file, with that file.
    pub(crate) fn modules(&self) -> impl Iterator<Item = (&Module, &Path)> {
        self.files.iter().map(|(module, source)| (module, &*source.path))
    }

    /// The modules that each module imports from, with the name of an item.
    pub(crate) fn edges(&self) -> BTreeMap<Module, BTreeMap<Module, String>> {
        let mut edges = BTreeMap::new();
        for (module, source) in &self.files {
            let of: &mut BTreeMap<Module, String> = edges.entry(module.clone()).or_default();
            for path in &source.used {
                let Some(target) = self.resolve(module, path, 0) else { continue };
                if target != *module {
                    of.entry(target).or_insert_with(|| path.join("::"));
                }
            }
        }
        edges
    }

    /// The module that defines what a path names; `None` for what another crate defines.
    fn resolve(&self, from: &str, path: &[String], depth: usize) -> Option<Module> {
        let mut at: Vec<&str> = from.split("::").filter(|part| !part.is_empty()).collect();
        let mut rest = path;
        match rest.first()?.as_str() {
            "crate" => (at, rest) = (Vec::new(), &rest[1..]),
            "self" => rest = &rest[1..],
            "super" => {
                while rest.first().is_some_and(|part| part == "super") {
                    at.pop();
                    rest = &rest[1..];
                }
            }
            first => {
                // A child of the module, or another crate.
                let child = join(&at, first);
                self.files.get(&child)?;
            }
        }
        while let Some(part) = rest.first() {
            let child = join(&at, part);
            if !self.files.contains_key(&child) {
                break;
            }
            at.push(part);
            rest = &rest[1..];
        }
        let module = at.join("::");
        let Some(name) = rest.first() else { return Some(module) };
        let source = self.files.get(&module)?;
        if source.items.contains(name) || depth > 8 {
            return Some(module);
        }
        if let Some(path) = source.exports.get(name) {
            return self.resolve(&module, path, depth + 1).or(Some(module));
        }
        let through = source.globs.iter().find_map(|glob| {
            let mut path = glob.clone();
            path.push(name.clone());
            let target = self.resolve(&module, &path, depth + 1)?;
            self.files[&target].items.contains(name).then_some(target)
        });
        through.or(Some(module))
    }
}

fn join(at: &[&str], part: &str) -> String {
    at.iter().copied().chain([part]).collect::<Vec<_>>().join("::")
}

/// Reads the files of a folder, which is the module `at`.
fn read(folder: &Path, at: &mut Vec<String>, files: &mut BTreeMap<Module, Source>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if matches!(&*name, "tests" | "test") {
            continue;
        }
        if path.is_dir() {
            at.push(name);
            read(&path, at, files);
            at.pop();
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let is_folder = matches!(&*name, "mod" | "lib" | "main");
            let module =
                if is_folder { at.join("::") } else { [&at[..], &[name]].concat().join("::") };
            let text = std::fs::read_to_string(&path).unwrap();
            let syntax = syn::parse_file(&text)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let mut source = Source { path, ..Source::default() };
            source.visit_file(&syntax);
            files.insert(module, source);
        }
    }
}

/// Whether something is there for tests alone.
fn is_of_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let text = match &attribute.meta {
            syn::Meta::List(list) => list.tokens.to_string(),
            syn::Meta::Path(_) | syn::Meta::NameValue(_) => String::new(),
        };
        attribute.path().is_ident("cfg") && text == "test"
    })
}

/// All paths of a `use`.
fn paths(tree: &syn::UseTree, before: &[String], out: &mut Vec<(Vec<String>, String)>) {
    let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
    match tree {
        syn::UseTree::Path(path) => paths(&path.tree, &with(&path.ident), out),
        syn::UseTree::Name(name) if name.ident == "self" => {
            out.push((before.to_vec(), before.last().cloned().unwrap_or_default()));
        }
        syn::UseTree::Name(name) => out.push((with(&name.ident), name.ident.to_string())),
        syn::UseTree::Rename(rename) => out.push((with(&rename.ident), rename.rename.to_string())),
        syn::UseTree::Glob(_) => out.push((before.to_vec(), "*".to_owned())),
        syn::UseTree::Group(group) => {
            group.items.iter().for_each(|tree| paths(tree, before, out));
        }
    }
}

impl<'a> Visit<'a> for Source {
    fn visit_item(&mut self, item: &'a syn::Item) {
        let (attributes, name) = match item {
            syn::Item::Const(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Enum(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Fn(item) => (&item.attrs, Some(&item.sig.ident)),
            syn::Item::Static(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Struct(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Trait(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Type(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Union(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Mod(item) => (&item.attrs, None),
            syn::Item::Impl(item) => (&item.attrs, None),
            syn::Item::Use(item) => (&item.attrs, None),
            syn::Item::Macro(item) => (&item.attrs, item.ident.as_ref()),
            _ => return,
        };
        if is_of_tests(attributes) {
            return;
        }
        self.items.extend(name.map(ToString::to_string));
        visit::visit_item(self, item);
    }

    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        let mut all = Vec::new();
        paths(&item.tree, &[], &mut all);
        for (path, name) in all {
            match (&item.vis, &*name) {
                (syn::Visibility::Inherited, _) => self.used.push(path),
                (_, "*") => self.globs.push(path),
                (_, _) => drop(self.exports.insert(name, path)),
            }
        }
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let parts: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        if parts.len() > 1 && matches!(&*parts[0], "crate" | "super") {
            self.used.push(parts);
        }
        visit::visit_path(self, path);
    }

    // A path in `pub(in ...)` imports nothing.
    fn visit_visibility(&mut self, _: &'a syn::Visibility) {}
}

/// Circles of nodes that lead to each other, the largest first.
pub(crate) fn circles(edges: &BTreeMap<Module, BTreeMap<Module, String>>) -> Vec<Vec<Module>> {
    let reach = |from: &Module| -> BTreeSet<Module> {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(at) = open.pop() {
            for next in edges.get(&at).into_iter().flat_map(BTreeMap::keys) {
                if seen.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&Module, BTreeSet<Module>> =
        edges.keys().map(|module| (module, reach(module))).collect();
    let mut circles = BTreeSet::new();
    for (module, there) in &reached {
        let back = |other: &&Module| reached.get(other).is_some_and(|from| from.contains(*module));
        let circle: Vec<Module> = there.iter().filter(back).cloned().collect();
        if circle.len() > 1 {
            circles.insert(circle);
        }
    }
    let mut circles: Vec<Vec<Module>> = circles.into_iter().collect();
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    circles
}

#[test]
fn imports_follow_re_exports_and_leave_tests_out() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("lib.rs", "mod a; mod b; mod c; pub use b::inner::Deep;");
    write(
        "a.rs",
        "use crate::Deep;\nuse super::c::{self, C};\n#[cfg(test)] mod t { use crate::d; }",
    );
    write("b/mod.rs", "pub mod inner; pub(crate) use inner::*;");
    write("b/inner.rs", "pub struct Deep; pub(in crate::c) struct Hidden;");
    write("c.rs", "pub struct C; fn f() -> crate::b::Deep { crate::a::g() }");
    let imports = Imports::of(folder.path());
    let edges = imports.edges();
    let of = |module: &str| edges[module].keys().map(String::as_str).collect::<Vec<_>>();
    assert_eq!((of("a"), of("b"), of("b::inner")), (vec!["b::inner", "c"], vec![], vec![]));
    assert_eq!(of("c"), ["a", "b::inner"]);
    assert_eq!(circles(&edges), [["a", "c"]]);
    assert_eq!(imports.modules().count(), 5);
}
