"""Checks a report: XML, alone, small, with the texts that are named.

  check_report.py FILE TEXT...
"""
import sys
import xml.etree.ElementTree

page = open(sys.argv[1], encoding="utf-8").read()
root = xml.etree.ElementTree.fromstring(page.partition("\n")[2])
assert len(page.encode()) <= 300_000
assert root.tag == "html" and root.attrib["lang"] == "en"
for element in root.iter():
    assert element.tag not in ("script", "link", "iframe", "image", "use"), element.tag
    for name in element.attrib:
        assert name not in ("src", "href") and not name.startswith("on"), name
assert "url(" not in page and "@import" not in page and "http" not in page
text = " ".join(root.itertext())
for word in sys.argv[2:]:
    assert word in text, word
print(sum(1 for _ in root.iter("svg")), "figures")
