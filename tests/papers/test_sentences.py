"""Every sentence of result in the papers has a claim; with the papers at hand none is overlooked."""

import os
import re
from pathlib import Path

import pytest

from papers.catalogue import PAPERS
from papers.hwang.claims import CLAIMS as HWANG_CLAIMS
from papers.hwang.published import CLASSIFIERS, SELECTION, TRAINING, published
from tests.papers.sentences import NO_RESULT, SENTENCES

VARIABLE = "ROWTRUST_PAPERS"
"""Names a folder of the papers as text files; without it the papers' own words are not looked up."""

TITLES = {
    "hwang": "Robust relevance vector machine for classification with variational inference",
    "chu": "A Unified Loss Function in Bayesian Framework",
    "li": "Fuzzy relevance vector machine for learning from unbalanced data and noise",
}

SOUNDS_LIKE_A_RESULT = re.compile(
    r"\b(show\w*|observe\w*|better|worse|find|found|verif\w*|indicat\w*|advantage\w*|consistent\w*|"
    r"guarantee\w*|insensitive|sensitive|sparse\w*|robust\w*|longer|fast\w*|accelerat\w*|increas\w*|bounded|"
    r"equivalent|smaller|fewer|larger|reasonable|influence\w*|improv\w*|confirm\w*|competitive|reject\w*|may|"
    r"cannot|not|always|equal|help\w*|effective\w*|efficient\w*|approximately|due to|since|"
    r"therefore|notice)\b",
    re.IGNORECASE,
)


def papers_text(name):
    """Return the words of a paper without formulas, tables, headings and references; skip if not at hand."""
    folder = os.environ.get(VARIABLE)
    for file in sorted(Path(folder).glob("*.txt")) if folder else ():
        text = file.read_text(encoding="utf-8")
        if TITLES[name] in text[:2000]:
            return plain(text.split("## References")[0])
    pytest.skip(f"{VARIABLE} names no folder with this paper")


def plain(text):
    text = re.sub(r"\$\$.*?\$\$", " ", text, flags=re.DOTALL)
    text = re.sub(r"^(#+.*|[^\n]*\t[^\n]*)$", "", text, flags=re.MULTILINE)
    text = re.sub(r"<sup>.*?</sup>|[*_]", "", text)
    return re.sub(r"\s+", " ", text)


def test_a_formula_and_a_table_are_no_sentences():
    text = "# Title\nIt is *shown* that\n$$a\n= b$$\nholds.\n1\t2\t3\nNext."
    assert plain(text).strip() == "It is shown that holds. Next."


@pytest.mark.parametrize("name", PAPERS)
def test_every_sentence_of_result_has_a_claim(name):
    says = [claim.says for claim in PAPERS[name].claims]
    missing = [words for words, answer in SENTENCES[name] if not any(answer in each for each in says)]
    assert not missing


@pytest.mark.parametrize("name", PAPERS)
def test_the_sentences_are_the_papers_own(name):
    text = papers_text(name)
    assert [words for words, _ in SENTENCES[name] if words not in text] == []
    assert [words for words in NO_RESULT[name] if words not in text] == []


@pytest.mark.parametrize("name", PAPERS)
def test_no_sentence_that_sounds_like_a_result_is_overlooked(name):
    known = [words for words, _ in SENTENCES[name]] + list(NO_RESULT[name])
    sentences = re.split(r"(?<=[.:])\s+(?=[A-Z])", papers_text(name))
    results = [sentence for sentence in sentences if SOUNDS_LIKE_A_RESULT.search(sentence)]
    assert [each for each in results if not any(words in each for words in known)] == []


KINDS = {
    "1": ("five classifiers",),
    "2": ("RVM and RRVM have far fewer non-zero coefficients than the SVM: RVM", "RRVM keeps fewer than RVM"),
    "3": ("times to choose", "times to train"),
    "4": ("five classifiers",),
    "5": ("RVM too keeps", "RVM keeps fewer than RRVM"),
    "6": ("times to choose", "times to train"),
    "7": ("five classifiers", "than the SVM: RVM", "times to choose", "times to train", "RVM against SVM"),
}
"""What each of Hwang's tables orders; every kind of number that it prints must have a claim of its order."""


@pytest.mark.parametrize("number", KINDS)
def test_every_kind_of_number_of_hwangs_tables_has_an_order(number):
    says = [claim.says for claim in HWANG_CLAIMS if re.search(rf"Table {number}\b", claim.where)]
    for words in KINDS[number]:
        assert any(words in each for each in says), words


@pytest.mark.parametrize(("times", "name"), [(SELECTION, "choose a model"), (TRAINING, "train")])
def test_the_times_are_in_the_order_that_a_claim_names(times, name):
    for data, table in (("ripley", "Table 3"), ("banana", "Table 6")):
        names = CLASSIFIERS[-len(times[data]) :]
        order = sorted(names, key=lambda each, at=data, names=names: times[at][names.index(each)][0])
        says = f"The order of the times to {name}: {', '.join(order)}."
        assert any(claim.says == says and table in claim.where for claim in HWANG_CLAIMS)


def test_rvm_against_svm_is_told_as_printed():
    def ahead(data, flipped, measure):
        rvm, svm = (published(data, flipped, measure, name).mean for name in ("RVM", "SVM"))
        return (rvm > svm) == (measure == "AUC")

    cells = [(data, flipped) for data in ("liver", "ionosphere", "cancer") for flipped in (0, 10)]
    found = {(*cell, m) for cell in cells for m in ("ERR", "AUC", "RMSE") if ahead(*cell, m)}
    dirty = {(data, 10, m) for data in ("ionosphere", "cancer") for m in ("ERR", "AUC", "RMSE")}
    assert found == {("cancer", 0, "AUC"), *dirty}
