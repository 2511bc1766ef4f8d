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
# Texts stay in their drawing and apart; a character is about 6.9 wide.
for drawing in root.iter("svg"):
    _, _, width, height = map(float, drawing.attrib["viewBox"].split())
    boxes = []
    for label in drawing.iter("text"):
        x, y, size = float(label.attrib["x"]), float(label.attrib["y"]), 6.9 * len(label.text)
        left = x - {"start": 0, "middle": size / 2, "end": size}[label.attrib["text-anchor"]]
        box = left, y - 10, left + size, y + 3
        assert 0 <= left and left + size <= width and 0 <= y - 10 and y + 3 <= height, label.text
        for other in boxes:
            assert not (box[0] < other[2] and other[0] < box[2]
                        and box[1] < other[3] and other[1] < box[3]), label.text
        boxes.append(box)
text = " ".join(root.itertext())
for word in sys.argv[2:]:
    assert word in text, word
print(sum(1 for _ in root.iter("svg")), "figures")
