# SPDX-License-Identifier: BSD-3-Clause
"""Links of a site of files: each leads to a file and, with #, to an element of it; nothing is loaded from elsewhere, and every
page can be reached from the first one. Usage: site.py FOLDER"""
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.ids |= {values[name] for name in ("id", "name") if values.get(name)}
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        for name in ("src", "href"):
            if tag in ("img", "script", "link", "iframe", "source") and values.get(name):
                self.loaded.append(values[name])


def main():
    root = Path(sys.argv[1]).resolve()
    pages = {path: Page(path.read_text()) for path in root.rglob("*.html")}
    wrong, links, reached, to_do = [], 0, set(), [root / "index.html"]
    for path, page in pages.items():
        for href in page.links + page.loaded:
            parts = urlsplit(href)
            if parts.scheme or parts.netloc:
                if href in page.loaded:
                    wrong.append(f"{path.relative_to(root)}: loads {href}")
                continue
            links += 1
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.is_file():
                wrong.append(f"{path.relative_to(root)}: no {href}")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
                wrong.append(f"{path.relative_to(root)}: no place {href}")
    while to_do:
        path = to_do.pop()
        if path in pages and path not in reached:
            reached.add(path)
            to_do += [(path.parent / unquote(urlsplit(link).path)).resolve() for link in pages[path].links if not urlsplit(link).scheme]
    wrong += [f"{path.relative_to(root)}: no way leads there" for path in sorted(pages) if path not in reached and path.name != "404.html"]
    print(*wrong, sep="\n")
    print(f"site: {len(pages)} pages, {links} links, {len(wrong)} wrong")
    return len(pages) < 100 or bool(wrong)


sys.exit(main())
