#!/usr/bin/env python3
"""Writes the reference of the Python package from its docstrings: docs/python-reference.md.

    scripts/python_reference.py           writes the page
    scripts/python_reference.py --check   says whether the page is as it would be written

It reads the sources, and imports nothing of the package.
"""

import ast
import difflib
import inspect
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "package" / "warpsim"
PAGE = ROOT / "docs" / "python-reference.md"
HEAD = """# Reference of the Python package

`scripts/python_reference.py` writes this page from the docstrings. [The guide](python.md) shows how
these are used together. Every error is an exception under `warpsim.WarpsimError`.
"""


def parsed(name):
    return ast.parse((PACKAGE / f"{name}.py").read_text(encoding="utf-8"))


def public():
    """The names of the package, each with the file that defines it, in the order of `__all__`."""
    files = {}
    names = []
    for node in parsed("__init__").body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module != "_native":
            files.update({alias.name: node.module for alias in node.names})
        elif isinstance(node, ast.Assign) and node.targets[0].id == "__all__":
            names = ast.literal_eval(node.value)
    return [(name, files[name]) for name in names if name in files]


def definitions(file):
    return {node.name: node for node in parsed(file).body
            if isinstance(node, (ast.ClassDef, ast.FunctionDef))}


def decorators(node):
    return {ast.unparse(decorator) for decorator in node.decorator_list}


def heading(owner, node):
    """How it is called."""
    if "property" in decorators(node):
        return f"{owner}.{node.name}"
    arguments = ast.unparse(node.args)
    if owner and "staticmethod" not in decorators(node):
        arguments = arguments.partition(", ")[2]
    return f"{owner + '.' if owner else ''}{node.name}({arguments})"


def text(node):
    """The docstring, whose examples are code, and whose lists keep their lines."""
    lines, code, in_list = [], False, False
    for line in inspect.cleandoc(ast.get_docstring(node) or "").splitlines():
        is_code = line.startswith((">>>", "...")) or (code and line != "")
        if is_code != code:
            lines.append("```" if code else "```python")
        code = is_code
        names, colon, _ = line.partition(": ")
        is_item = not code and colon and all(name.isidentifier() for name in names.split(", "))
        if in_list and not is_item and line and not line.startswith(" "):
            lines.append("")
        in_list = is_item or (in_list and line.startswith(" "))
        lines.append(f"- {line}" if is_item else line)
    return "\n".join(lines + (["```"] if code else []))


def section(owner, node, level):
    return f"{'#' * level} `{heading(owner, node)}`\n\n{text(node)}\n"


def of_class(node):
    parts = [f"## class `{node.name}`\n\n{text(node)}\n"]
    fields = [item for item in node.body if isinstance(item, ast.AnnAssign)]
    if fields:
        rows = "".join(f"| `{item.target.id}` | `{ast.unparse(item.annotation)}` |\n"
                       for item in fields)
        parts.append(f"| field | type |\n|---|---|\n{rows}")
    parts += [section(node.name, item, 3) for item in node.body
              if isinstance(item, ast.FunctionDef) and not item.name.startswith("_")
              and ast.get_docstring(item)]
    return parts


def page():
    parts = [HEAD]
    for name, file in public():
        node = definitions(file)[name]
        parts += of_class(node) if isinstance(node, ast.ClassDef) else [section("", node, 2)]
    parts.append("## Errors\n\n| exception | when |\n|---|---|\n" + "".join(
        f"| `errors.{name}` | {' '.join((ast.get_docstring(node) or '').split())} |\n"
        for name, node in definitions("errors").items() if isinstance(node, ast.ClassDef)))
    return "\n".join(parts)


def main():
    made = page()
    if sys.argv[1:] == ["--check"]:
        have = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
        changed = difflib.unified_diff(have.splitlines(), made.splitlines(), "the page",
                                       "the docstrings", lineterm="")
        said = "\n".join(changed)
        print(said or "docs/python-reference.md is as the docstrings are")
        return int(have != made)
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
