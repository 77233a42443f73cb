#!/usr/bin/env python3
"""What the site of the book has that the Markdown alone has not. scripts/site.sh uses it.

    scripts/site.py                        mdBook's preprocessor: reads a book, writes a book
    scripts/site.py pages WARPSIM FOLDER   makes the pages that the chapters embed

A chapter marks the command of a page that the site embeds. Elsewhere the reader sees the command:

    <!-- page: NAME, TITLE -->
    ```text
    warpsim trace kernel.ptx --format html -o NAME.html
    ```
    <!-- end -->

The preprocessor puts the page below the command, if target/book-pages has it. It also turns links
to files outside of docs/ into links to the repository, and names languages that mdBook knows.
"""

import html
import json
import os
import pathlib
import posixpath
import re
import shlex
import subprocess
import sys

PAGES = "target/book-pages"
MARK = re.compile(
    r"<!-- page: (?P<name>[a-z0-9-]+), (?P<title>[^\n]+?) -->\n"
    r"(?P<block>```text\n(?P<command>warpsim .*?)```\n)<!-- end -->\n",
    re.DOTALL,
)
FENCED = re.compile(r"^( *)(```+).*?^ *\2 *$", re.DOTALL | re.MULTILINE)
OUTSIDE = re.compile(r"\]\((\.\./[^)\s#]+)(#[^)\s]*)?\)")
LANGUAGES = {"cuda": "cpp", "ptx": "text"}


def embedded(path, root):
    """The function that replaces a mark of the chapter at `path`."""
    above = "../" * path.count("/")

    def replace(mark):
        name, title = mark["name"], html.escape(mark["title"])
        if not (root / PAGES / f"{name}.html").is_file():
            return mark["block"]
        page = f"{above}pages/{name}.html"
        return (
            f'{mark["block"]}\n<figure class="page-of-a-run">\n'
            f'<iframe title="{title}" src="{page}" width="100%" height="720" loading="lazy">'
            f'</iframe>\n<figcaption>{title}. <a href="{page}">Open the page by itself</a>'
            f"</figcaption>\n</figure>\n"
        )

    return replace


def repository_links(text, path, root, source, repository):
    """Links to files outside of the book lead to the repository."""
    folder = posixpath.join(source, posixpath.dirname(path))

    def replace(link):
        target = posixpath.normpath(posixpath.join(folder, link[1]))
        if target == source or target.startswith(f"{source}/"):
            return link[0]
        kind = "tree" if (root / target).is_dir() else "blob"
        return f"]({repository}/{kind}/main/{target}{link[2] or ''})"

    return OUTSIDE.sub(replace, text)


def outside_of_fences(text, change):
    """Applies a change to the text, but not to its code."""
    parts, at = [], 0
    for fenced in FENCED.finditer(text):
        parts += [change(text[at : fenced.start()]), fenced[0]]
        at = fenced.end()
    return "".join([*parts, change(text[at:])])


def chapter(text, path, root, source, repository):
    """The text of a chapter as the site has it."""
    text = MARK.sub(embedded(path, root), text)
    text = outside_of_fences(
        text, lambda part: repository_links(part, path, root, source, repository)
    )
    for ours, theirs in LANGUAGES.items():
        text = re.sub(rf"^( *```+){ours}$", rf"\1{theirs}", text, flags=re.MULTILINE)
    return text


def chapters(items):
    """All chapters of a list of the book's items, with those below them."""
    for item in items:
        if isinstance(item, dict) and "Chapter" in item:
            yield item["Chapter"]
            yield from chapters(item["Chapter"]["sub_items"])


def preprocess():
    context, book = json.load(sys.stdin.buffer)
    root = pathlib.Path(context["root"])
    config = context["config"]
    repository = config["output"]["html"]["git-repository-url"]
    for each in chapters(book.get("items") or book.get("sections")):
        if each["path"]:
            each["content"] = chapter(
                each["content"], each["path"], root, config["book"]["src"], repository
            )
    json.dump(book, sys.stdout)


def pages(warpsim, folder):
    """Runs each marked command from the root of the repository; its page goes into a folder."""
    root = pathlib.Path(__file__).resolve().parent.parent
    out = pathlib.Path(folder).resolve()
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*.html"):
        old.unlink()
    for path in sorted((root / "docs").glob("**/*.md")):
        text = path.read_text(encoding="utf-8")
        marks = list(MARK.finditer(text))
        if len(marks) != text.count("<!-- page: "):
            sys.exit(f"{path}: a page is not marked as scripts/site.py says")
        for mark in marks:
            _, *arguments = shlex.split(mark["command"].replace("\\\n", " "))
            name = f"{mark['name']}.html"
            if arguments.count(name) != 1:
                sys.exit(f"{path}: the command must write {name}")
            page = out / name
            if page.exists():
                sys.exit(f"{path}: {name} is there already")
            # The page shows its command, so the path must not depend on the machine.
            arguments[arguments.index(name)] = os.path.relpath(page, root)
            ran = subprocess.run([warpsim, *arguments], cwd=root, capture_output=True, text=True)
            # A finding is exit code 1.
            if ran.returncode not in (0, 1) or not page.is_file():
                sys.exit(f"{path}: {mark['command']}\n{ran.stderr}")
            print(f"{name}: {page.stat().st_size} bytes")


if __name__ == "__main__":
    if sys.argv[1:2] == ["supports"]:
        sys.exit(sys.argv[2:] != ["html"])
    elif sys.argv[1:2] == ["pages"] and len(sys.argv) == 4:
        pages(sys.argv[2], sys.argv[3])
    elif len(sys.argv) == 1:
        preprocess()
    else:
        sys.exit(__doc__)
