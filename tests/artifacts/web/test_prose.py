"""Markdown that anybody may have written becomes HTML that does no harm."""

import random
import re
import time

import pytest

from artifacts.web.prose import LIMIT, WIDEST, bounded, render, spoken

ATOMS = [
    *(
        "a",
        "word ",
        "**",
        "_",
        "`",
        "```\n",
        "~~~\n",
        "```py\n",
        "\n",
        "\n\n",
        "- ",
        "* ",
        "1. ",
        "> ",
        "    ",
        "\t",
    ),
    *(
        "# ",
        "---\n",
        "| a | b |\n|---|:-:|\n| 1 | 2 |\n",
        "[x]",
        "(http://y)",
        "https://e.org ",
        "<b>",
        "\\",
        "&amp;",
    ),
    *(
        "![i](j)",
        "  \n",
        "<script>",
        "<a href='javascript:x'>",
        '" onload="x',
        "<!--",
        "-->",
        "]]>",
        "style=x",
        "\r\n",
    ),
]
TAG = re.compile(r"<(/?)([a-z0-9]+)((?:\s[^<>]*)?)>")
ATTRIBUTE = re.compile(r'([a-z]+)="([^"]*)"')
ALLOWED = {"href", "title", "target", "rel", "start", "class", "tabindex", "dir"}


def random_text(seed: int) -> str:
    chance = random.Random(seed)
    return "".join(chance.choice(ATOMS) for _ in range(chance.randint(1, 60)))


@pytest.mark.parametrize("seed", range(300))
def test_no_text_gets_an_attribute_or_a_scheme_through(seed: int) -> None:
    html = render(random_text(seed))
    for _, _, attributes in TAG.findall(html):
        for name, value in ATTRIBUTE.findall(attributes):
            assert name in ALLOWED, (name, value)
            assert name != "href" or re.match(r"(https?:|mailto:|[^:]*$)", value), value
            assert name != "dir" or value == "auto"
            assert name != "class" or re.fullmatch(r"align-\w+|wide|[a-z0-9 ]{1,8}", value), value
    assert "<script" not in html
    assert "style=" not in re.sub(r">[^<]*<", "><", html)


def test_raw_html_is_shown_and_not_obeyed() -> None:
    assert render("<b id=x onclick=y>bold</b>") == "<p>&lt;b id=x onclick=y&gt;bold&lt;/b&gt;</p>\n"


def test_images_become_links_and_inside_a_link_words() -> None:
    assert '<a href="http://x/y.png"' in render("![a tree](http://x/y.png)")
    assert "<img" not in render("![a tree](http://x/y.png)")
    assert render("[a ![tree](http://x) b](http://y)").count("<a ") == 1


@pytest.mark.parametrize("scheme", ["javascript", "data", "vbscript", "file"])
def test_schemes_come_from_a_list(scheme: str) -> None:
    assert "href" not in render(f"[x]({scheme}:alert)")


def test_links_open_elsewhere_and_tell_nothing() -> None:
    assert (
        render("[x](http://y)") == '<p><a href="http://y" target="_blank" rel="noopener nofollow">x</a></p>\n'
    )


def test_only_whole_addresses_become_links_by_themselves() -> None:
    html = render("https://e.org and e.org, settings.py, a@b.de, //e.org")
    assert html.count("<a ") == 1


def test_what_is_longer_than_any_address_is_none() -> None:
    assert f'<a href="https://a.b/{"c" * 1_900}"' in render(f"See https://a.b/{'c' * 1_900} there")
    assert "<a " not in render(f"https://a.b/{'c' * 2_000}")


@pytest.mark.parametrize("address", ["https://", "https://a.b/("])
def test_looking_for_addresses_takes_no_time_with_the_square_of_the_text(address: str) -> None:
    began = time.process_time()
    render(address * (100_000 // len(address)))
    assert time.process_time() - began < 5


def test_tables_are_aligned_by_class_and_scroll_on_their_own() -> None:
    html = render("| a | b |\n|:-:|--:|\n| 1 | 2 |")
    assert '<div class="wide" tabindex="0"><table>' in html
    assert '<td class="align-center">1</td>' in html
    assert "style" not in html


def test_code_is_coloured_by_class_and_scrolls_with_the_keyboard() -> None:
    html = render("```python\ndef f(): return '<x>'\n```")
    assert '<pre tabindex="0"><code><span class="k">def</span>' in html
    assert "&lt;x&gt;" in html


def test_code_of_an_unknown_language_stays_as_it_is() -> None:
    assert render("```klingon\n<qapla'>\n```") == '<pre tabindex="0"><code>&lt;qapla\'&gt;\n</code></pre>\n'


def test_lists_and_quotations_stand_in_from_the_side_on_which_their_text_begins() -> None:
    assert '<ul dir="auto">' in render("- واحد\n- اثنان\n")
    assert '<ol start="2" dir="auto">' in render("2. واحد\n")
    assert '<blockquote dir="auto">' in render("> اقتباس\n")


def test_headings_begin_below_those_of_the_page() -> None:
    assert render("# One\n\n###### Six") == "<h3>One</h3>\n<h6>Six</h6>\n"


def test_a_long_text_is_cut_at_a_line_and_says_how_much_is_missing() -> None:
    text = "a line of some words\n" * 2000
    prose = bounded(text)
    assert prose.left == len(text) - LIMIT // 21 * 21
    assert prose.html.count("a line") == LIMIT // 21


@pytest.mark.parametrize("text", ["```c\n" + "+-" * 40_000, "&" * 100_000, "> " * 30_000, "*a* " * 30_000])
def test_nothing_becomes_wider_than_a_message_can_carry(text: str) -> None:
    assert len(bounded(text).html) <= WIDEST


HIDDEN = [
    "[x](//evil.example)",
    "![x](//evil.example/y)",
    r"[x](\\\\evil.example)",
    "[x][r]\n\n[r]: //evil.example",
]


@pytest.mark.parametrize("link", HIDDEN)
def test_no_link_leads_to_another_host_without_saying_so(link: str) -> None:
    assert not re.search(r'href="(?:/|%5C|\\\\){2}', render(link))


def test_a_link_within_the_site_stays_one() -> None:
    assert '<a href="/published/1/"' in render("[its page](/published/1/)")


def test_what_is_read_aloud_is_words_without_marks() -> None:
    text = (
        "I am the **demo**, see\n[its page](/published/1/) ![tea](x.png):\n\n- `a` b\n\n```py\nx = 1\n```\n"
    )
    assert spoken(text) == "I am the demo, see its page tea: a b x = 1"
