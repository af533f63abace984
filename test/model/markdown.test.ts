/** Markdown of members as HTML: results written by hand, and a property over hostile texts. */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { markdownHtml, markdownLine } from "../../src/model/text/markdown.ts"

const LINK = 'target="_blank" rel="noopener noreferrer nofollow"'

describe("Markdown becomes HTML", () => {
  test("by its elements", () => {
    for (const [text, html] of [
      ["one\ntwo\n\nthree", "<p>one<br>\ntwo</p><p>three</p>"],
      ["# A\n### B\n###### C", "<h2>A</h2><h4>B</h4><h6>C</h6>"],
      ["**b** *i* ~~d~~ `c`", "<p><strong>b</strong> <em>i</em> <del>d</del> <code>c</code></p>"],
      ["- a\n- b", "<ul><li>a</li><li>b</li></ul>"],
      ["3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'],
      ["- [x] a\n- [ ] b", "<ul><li>☑ a</li><li>☐ b</li></ul>"],
      ["> q", "<blockquote><p>q</p></blockquote>"],
      ["```js\na < b\n```", "<pre><code>a &lt; b</code></pre>"],
      [
        "|a|b|\n|-|-|\n|1|**2**|",
        "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td><strong>2</strong></td></tr></tbody></table>",
      ],
      ["a\n\n---", "<p>a</p><hr>"],
      ["[t](https://a.example/?x=1&y=2)", `<p><a href="https://a.example/?x=1&amp;y=2" ${LINK}>t</a></p>`],
      ["see https://a.example.", `<p>see <a href="https://a.example/" ${LINK}>https://a.example</a>.</p>`],
      ["a@b.example", `<p><a href="mailto:a@b.example" ${LINK}>a@b.example</a></p>`],
      ["[r]\n\n[r]: https://a.example/r", `<p><a href="https://a.example/r" ${LINK}>r</a></p>`],
      ["![pic](https://a.example/p.png)", `<p><a href="https://a.example/p.png" ${LINK}>pic</a></p>`],
      ["[![pic](https://a.example/p.png)](https://a.example/)", `<p><a href="https://a.example/" ${LINK}>pic</a></p>`],
      [String.raw`\*no\* & &amp;`, "<p>*no* &amp; &amp;amp;</p>"],
    ] as const) {
      expect(markdownHtml(text)).toBe(html)
    }
  })
})

describe("HTML and foreign addresses are text", () => {
  test("also in links, code and blocks", () => {
    for (const [text, html] of [
      ["<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"],
      ["a <img src=x onerror=alert(1)>", "<p>a &lt;img src=x onerror=alert(1)&gt;</p>"],
      [
        "<div onclick='x()'>\n\n**b**\n\n</div>",
        "<p>&lt;div onclick=&#39;x()&#39;&gt;</p><p><strong>b</strong></p><p>&lt;/div&gt;</p>",
      ],
      ["<!-- <b> -->", "<p>&lt;!-- &lt;b&gt; --&gt;</p>"],
      ["[x](javascript:alert(1))", "<p>x</p>"],
      ["[x](JaVaScRiPt:alert(1)) [y](vbscript:a) [z](data:text/html,a)", "<p>x y z</p>"],
      ["[x](/path) [y](//a.example) [z](file:///etc/passwd)", "<p>x y z</p>"],
      ["<javascript:alert(1)>", "<p>javascript:alert(1)</p>"],
      ["![x](javascript:alert(1))", "<p>x</p>"],
      [
        '![x](https://a.example/"onerror="alert(1))',
        `<p><a href="https://a.example/%22onerror=%22alert(1)" ${LINK}>x</a></p>`,
      ],
      ['[x](https://a.example "t\\" onclick=alert(1)")', `<p><a href="https://a.example/" ${LINK}>x</a></p>`],
      ['```"><script>\nx\n```', "<pre><code>x</code></pre>"],
    ] as const) {
      expect(markdownHtml(text)).toBe(html)
    }
  })
})

describe("a short text does not become a long one", () => {
  test("whatever it defines or repeats", () => {
    for (const [_, text] of [
      ["a wide table", `${"|a".repeat(1250)}\n${"|-".repeat(1250)}\n${"a\n".repeat(2500)}`],
      ["a table in a quote", `> ${"|a".repeat(1250)}\n> ${"|-".repeat(1250)}\n${"> a\n".repeat(1200)}`],
      ["a reference that is used often", `[a]: https://a.example/${"x".repeat(4900)}\n\n${"[a] ".repeat(1200)}`],
    ] as const) {
      expect(markdownHtml(text).length).toBeLessThan(10 * text.length)
      expect(markdownHtml(text).startsWith("<p>")).toBe(true)
    }
  })

  test("a table of an agenda stays one", () => {
    const rows = Array.from({ length: 60 }, (_, at) => `|${at}|Talk|Room|`).join("\n")
    expect(markdownHtml(`|At|What|Where|\n|-|-|-|\n${rows}`)).toContain("<td>59</td><td>Talk</td>")
  })
})

const ELEMENTS = "p|h[2-6]|strong|em|del|code|pre|ul|li|blockquote|table|thead|tbody|tr|th|td"
/** All that may stand between angle brackets. */
const KNOWN = new RegExp(
  `^(?:</?(?:${ELEMENTS})>|</a>|</ol>|<br>|<hr>|<ol start="\\d+">|<a href="(?:https?://|mailto:)[^"<>\\s]*" ${LINK}>)$`,
)

const piece = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom(
    ...'<script>|</script>|<img src=x onerror=alert(1)>|javascript:|](javascript:a)|](https://a.example/|![|[|](|)|<!--|-->|"|\'|`|```|\n|\n\n|> |- |1. |# |**|~~|_|\\|&lt;|&#x6a;|<a href=|<svg/onload=a>|https://a.example/"|<https://|mailto:|\t|<![CDATA[|\u0000'.split(
      "|",
    ),
    "|",
    "\n|-|-|\n",
  ),
)

test("whatever the text, the HTML has only known elements without further attributes", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
      const html = markdownHtml(pieces.join(""))
      const tags = html.match(/<[^>]*>?/g) ?? []
      expect(tags.filter((tag) => !KNOWN.test(tag))).toEqual([])
    }),
    { numRuns: 2000 },
  )
})

test("quotes nested deeper than the parser can follow are shown as they are written", () => {
  const deep = ">".repeat(10_000)
  expect(markdownHtml(deep)).toBe(`<p>${"&gt;".repeat(10_000)}</p>`)
})

test("a line of plain text has the words alone", () => {
  for (const [text, line] of [
    ["# News\n\n**Two** talks\nand *time*\n\n- a\n- b", "News Two talks and time a b"],
    ["5 < 6 & \"7\" <b>'x'</b> &lt;", "5 < 6 & \"7\" <b>'x'</b> &lt;"],
    ["[t](https://a.example/) ![p](https://a.example/p.png)", "t p"],
    ["\n", ""],
  ] as const) {
    expect(markdownLine(text)).toBe(line)
  }
})
