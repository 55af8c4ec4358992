"""The Python of the documentation works, but for Spark, which has its own test."""

import re

import pytest
from conftest import ROOT, notes

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")


@pytest.mark.parametrize("page", ["README.md", "docs/book/src/python.md"])
def test_every_block_runs(page, key_file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taire.key").symlink_to(key_file)
    frame = pd.DataFrame(notes(9)).assign(ward="A")
    names = {"frame": frame, "parts": [frame[:4], frame[4:]]}
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block.partition("from taire import spark")[0], page, "exec"), names)
    assert names["pipeline"].deid("Mme Durand").spans
