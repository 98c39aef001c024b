"""What the site does to the pages, which are written for GitHub; and what it checks.

MkDocs calls the functions on_…, first that which tries the examples below.
"""

import doctest
import posixpath
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from mkdocs.exceptions import PluginError
from mkdocs.structure.nav import Link

ROOT = Path(__file__).resolve().parent.parent
POM = (ROOT / "bom/pom.xml").read_text()
VERSION = re.search(r"<version>(.*?)</version>", POM)[1]
REPOSITORY = re.search(r"<url>(.*?)</url>", POM)[1]
BRANCH = "main" if VERSION.endswith("-SNAPSHOT") else "v" + VERSION

GALLERY = "<!-- gallery -->"

FENCE = re.compile(r" *(```+|~~~+)")
MARKER = re.compile(r"(?:[-*+]|\d{1,9}[.)]) +(?=\S)")
CODE_OR_LINK = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)|\]\(([^)\s]+)\)")
TABLE_RULE = re.compile(r" *\|[ :|-]*-[ :|-]*$")


class Anchors:
    """Names the sections of one page as GitHub does.

    >>> anchors = Anchors()
    >>> [anchors(text, "-") for text in ("`peer(10/1s)` & more", "A_b – c", "More", "More", "Größe")]
    ['peer101s--more', 'a_b--c', 'more', 'more-1', 'größe']
    """

    def __init__(self):
        self.seen = {}

    def __call__(self, text, separator):
        anchor = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", separator)
        before = self.seen[anchor] = self.seen.get(anchor, -1) + 1
        return f"{anchor}-{before}" if before else anchor


def with_four_spaces(text):
    """Indents what belongs to an item of a list as Python-Markdown wants it, by four; of a block it takes the language.

    >>> print(with_four_spaces("Two:\\n- a\\n  - b\\n    c\\n\\n  d\\n1. e\\n\\n   ```sh x\\n     - f\\n   ```\\n2. g\\nend"))
    Two:
    <BLANKLINE>
    - a
        - b
            c
    <BLANKLINE>
        d
    <BLANKLINE>
    1. e
    <BLANKLINE>
        ```sh
          - f
        ```
    <BLANKLINE>
    2. g
    end
    """
    lines, items, apart, fence = [], [], True, None
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip(" "))
        if fence is None and line.strip():
            while items and indent < items[-1]:
                items.pop()
        inner = items[-1] if items else 0
        if not line.strip():
            lines.append("")
            apart = True
            continue
        rest = line[min(inner, indent) :]
        marker = None if fence else MARKER.match(rest.lstrip(" "))
        if marker and apart and lines and lines[-1]:
            lines.append("")
        lines.append(" " * 4 * len(items) + (rest.lstrip(" ") if marker else rest))
        if marker:
            items.append(indent + len(marker[0]))
        apart = bool(apart and not marker or not items)
        found = FENCE.match(line)
        if found and fence is None:
            fence = found[1]
            lines[-1] = re.sub(r"(`\w+) .*", r"\1", lines[-1])  # ```java apache
        elif found and found[1].startswith(fence) and line.strip() == found[1]:
            fence = None
    return "\n".join(lines)


def outside_fences(text, change):
    """Changes the lines of a page that are in no fenced block."""
    lines, fence = [], None
    for line in text.split("\n"):
        found = FENCE.match(line)
        if found and fence is None:
            fence = found[1]
        elif fence is None:
            line = change(line)
        elif found and found[1].startswith(fence) and line.strip() == found[1]:
            fence = None
        lines.append(line)
    return "\n".join(lines)


def with_links(text, target):
    """Gives each link the target that a function makes of its own, and a table's code its bars.

    >>> print(with_links("[`a`](b) `[c](d)` ![e](f)\\n| `g\\\\|h` |\\n```\\n[i](j)\\n```", str.upper))
    [`a`](B) `[c](d)` ![e](F)
    | `g|h` |
    ```
    [i](j)
    ```
    """

    def change(line):
        def replaced(found):
            if found[2]:
                return f"]({target(found[2])})"
            return found[0].replace("\\|", "|") if line.startswith("|") else found[0]

        return CODE_OR_LINK.sub(replaced, line)

    return outside_fences(text, change)


def site_link(page, link, staged):
    """Returns where a link of a page leads on the site: to a page, to the Javadoc, or into the repository."""
    address = urlsplit(link)
    if address.scheme or address.netloc or not address.path:
        return link
    anchor = "#" + address.fragment if address.fragment else ""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(address.path)))
    if (staged / path / "README.md").exists():
        path += "/README.md"
    api = re.sub(r"^[^/]+/src/main/java/(.*)\.java$", r"api/\1.html", path)
    if not anchor and api != path and (staged / api).exists():
        path = api
    if (staged / path).is_file():
        return posixpath.relpath(path, posixpath.dirname(page) or ".") + anchor
    if path.startswith("..") or not (ROOT / path).exists():
        raise PluginError(f"{page} has a link to {link}: there is no such file")
    return f"{REPOSITORY}/{'tree' if (ROOT / path).is_dir() else 'blob'}/{BRANCH}/{path}{anchor}"


def snippet(language, inside):
    return rf"(^```{language}\n(?:(?!```).)*?{inside}(?:(?!```).)*^```)$"


MAVEN_AND_GRADLE = re.compile(
    r"(?:^(?:In |With )?Maven:\n\n?)?"
    + snippet("xml", "<dependency>")
    + r"\n+(?:^(?:In |With )?Gradle:\n\n?)?"
    + snippet("kotlin", r"dependencies \{"),
    re.MULTILINE | re.DOTALL,
)


def with_tabs(text):
    """Makes tabs of a snippet for Maven that one for Gradle follows.

    >>> pair = "Maven:\\n\\n```xml\\n<dependency>\\n```\\n\\nGradle:\\n\\n```kotlin\\ndependencies { a }\\n```\\n"
    >>> print(with_tabs(pair))
    === "Maven"
    <BLANKLINE>
        ```xml
        <dependency>
        ```
    <BLANKLINE>
    === "Gradle"
    <BLANKLINE>
        ```kotlin
        dependencies { a }
        ```
    <BLANKLINE>
    >>> with_tabs(pair.replace("Gradle:", "Then:")) == pair.replace("Gradle:", "Then:")
    True
    """

    def tab(name, code):
        return f'=== "{name}"\n\n' + re.sub(r"^(?=.)", "    ", code, flags=re.MULTILINE)

    return MAVEN_AND_GRADLE.sub(lambda found: tab("Maven", found[1]) + "\n\n" + tab("Gradle", found[2]), text)


def counts(text):
    """Counts what a page has on GitHub: fenced blocks, tables, items of lists.

    >>> counts("# a\\n- b\\n  1. c\\n\\n|d|\\n|--|\\n\\n```\\n- e\\n```")
    (1, 1, 2)
    """
    tables, items, lines = 0, 0, []
    prose = outside_fences(text, lambda line: lines.append(line) or line)
    for line in lines:
        tables += bool(TABLE_RULE.match(line))
        items += bool(MARKER.match(line.lstrip(" >")))
    fences = sum(1 for line in prose.split("\n") if FENCE.match(line)) - sum(
        1 for line in lines if FENCE.match(line)
    )
    return fences // 2, tables, items


class Page(HTMLParser):
    """What a page of the site has: anchors, links, what it loads, text outside code, and its blocks."""

    LOADED = {"stylesheet", "icon", "preload", "preconnect", "dns-prefetch", "modulepreload", "manifest"}

    def __init__(self, html):
        super().__init__()
        self.anchors, self.links, self.loaded, self.text = set(), [], [], []
        self.blocks = {"pre": 0, "table": 0, "li": 0}
        self.verbatim = 0
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        has = {name: value or "" for name, value in attributes}
        if tag in self.blocks:
            self.blocks[tag] += 1
        self.verbatim += tag in ("code", "script", "style", "pre")
        self.anchors.update(has[name] for name in ("id", "name") if name in has)
        rel = set(has.get("rel", "").split())
        if tag == "a" and "href" in has:
            self.links.append(has["href"])
        elif tag == "link" and "href" in has and rel & self.LOADED:
            self.loaded.append(has["href"])
        self.loaded += [has[name] for name in ("src", "poster", "data") if name in has]
        self.loaded += [part.split()[0] for part in has.get("srcset", "").split(",") if part.strip()]

    def handle_endtag(self, tag):
        self.verbatim -= tag in ("code", "script", "style", "pre")

    def handle_data(self, data):
        if not self.verbatim:
            self.text.append(data)


def faults(site, files, base="/"):
    """Returns what is wrong with the pages of a site: their texts by path, all files, the path of the address.

    >>> page = "<h1 id='a'></h1><a href='{}'></a><link rel='stylesheet' href='{}'>"
    >>> def tried(link="#a", style="s.css", text=""):
    ...     return faults({"d/p.html": page.format(link, style) + text}, {"d/p.html", "d/s.css"})
    >>> tried(), tried("p.html#a"), tried("../d/p.html"), tried("/d/p.html"), tried("https://b/c")
    ([], [], [], [], [])
    >>> tried("q.html") + tried("p.html#b")
    ['d/p.html: no file q.html', 'd/p.html: no anchor p.html#b']
    >>> tried(style="t.css") + tried(style="https://b/s.css") + tried(style="//b/s.css")
    ['d/p.html: no file t.css', 'd/p.html loads https://b/s.css', 'd/p.html loads //b/s.css']
    >>> tried(text="<img src='http://b/c.png'>") + tried(text="<p>[a](b)</p>") + tried(text="<code>[a](b)</code>")
    ['d/p.html loads http://b/c.png', 'd/p.html shows Markdown: [a](b)']
    """
    pages = {path: Page(html) for path, html in site.items()}
    found = []
    for path, page in pages.items():
        for link in page.links + page.loaded:
            address = urlsplit(link)
            if address.scheme or address.netloc:
                if link in page.loaded and address.scheme != "data":
                    found.append(f"{path} loads {link}")
                continue
            folder = "" if address.path.startswith("/") else posixpath.dirname(path)
            to = address.path[len(base) :] if address.path.startswith(base) else address.path
            to = posixpath.normpath(posixpath.join(folder, unquote(to))) if address.path else path
            to = posixpath.join(to, "index.html").removeprefix("./") if to not in files else to
            anchor = unquote(address.fragment)
            if to not in files:
                found.append(f"{path}: no file {link}")
            elif anchor and to in pages and anchor not in pages[to].anchors:
                found.append(f"{path}: no anchor {link}")
        found += [
            f"{path} shows Markdown: {text.strip()}" for text in page.text if re.search(r"\]\(|```|\*\*\w", text)
        ]
    return found


def examples_fail():
    """Tries the examples in this file: MkDocs does not make a module of it that doctest finds by itself."""
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner()
    for name, value in list(globals().items()):
        if getattr(value, "__module__", None) == __name__:
            for test in finder.find(value, name, module=False, globs=globals()):
                runner.run(test)
    return runner.failures


def on_config(config):
    if examples_fail():
        raise PluginError("site/hooks.py does not do what its examples say")
    config["site_name"] = f"Pacegate {VERSION}"
    return config


def flat(items):
    return [one for item in items for one in [item, *flat(item.children or [])]]


def on_nav(nav, config, files):
    """Each page has a place in the side bar. Its last section gets Javadoc, Dokka's pages and the repository."""
    named = {page.file.src_uri for page in nav.pages}
    missing = sorted(file.src_uri for file in files.documentation_pages() if file.src_uri not in named)
    if missing:
        raise PluginError(f"site/mkdocs.yml does not name {', '.join(missing)}: add it to a section of nav")
    gone = [item.url for item in flat(nav.items) if item.is_link and not urlsplit(item.url).scheme]
    if gone:
        raise PluginError(f"site/mkdocs.yml names {', '.join(gone)}: there is no such page")
    links = [Link("Repository", REPOSITORY)]
    for name, page in (("Kotlin API", "api/kotlin/index.html"), ("Ktor API", "api/ktor/index.html"), ("Javadoc", "api/index.html")):
        if files.get_file_from_path(page):
            links.insert(0, Link(name, page))
    for link in links:
        link.parent = nav.items[-1]
        nav.items[-1].children.append(link)
    return nav


def on_page_markdown(markdown, page, config, files):
    name = page.file.src_uri
    page.edit_url = f"{REPOSITORY}/edit/main/{name}"
    page.counts = counts(markdown)
    config["mdx_configs"]["toc"]["slugify"] = Anchors()
    staged = Path(config["docs_dir"])
    linked = with_links(markdown, lambda link: site_link(name, link, staged))
    return with_tabs(with_four_spaces(linked))


def gallery(page, folder):
    """Returns the part of the page of `simulate --gallery` that is put into another, beside a folder of the drawings.

    >>> gallery('<h1>a</h1>\\n<!-- gallery -->\\n<img src="b.svg">\\n<!-- end of gallery -->\\n', "c")
    '<img src="c/b.svg">'
    """
    found = re.search(GALLERY + r"\n(.*)\n<!-- end of gallery -->", page, re.DOTALL)
    return found[1].replace(' src="', f' src="{folder}/')


def on_page_content(html, page, config, files):
    """A list or a block that Python-Markdown reads in another way than GitHub ends the build."""
    shown = tuple(Page(html).blocks.values())
    if shown != page.counts:
        raise PluginError(
            f"{page.file.src_uri} has (code blocks, tables, items) {page.counts} but {shown} on the site: "
            "write blank lines around lists and blocks, and indent what belongs to an item"
        )
    if GALLERY in html:
        html = html.replace(GALLERY, gallery((ROOT / "target/gallery.html").read_text(), "gallery"))
    return html


def on_post_build(config):
    folder = Path(config["site_dir"])
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    site = {
        name: (folder / name).read_text()
        for name in files
        if name.endswith(".html") and not name.startswith("api/")
    }
    found = faults(site, files, urlsplit(config["site_url"] or "").path or "/")
    for name in files:
        if name.endswith(".css") and re.search(r"(url\(|@import)\s*[\"']?(https?:)?//", (folder / name).read_text()):
            found.append(f"{name} loads from another site")
    if found:
        raise PluginError("\n".join(sorted(found)))
