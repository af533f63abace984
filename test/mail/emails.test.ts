/** Emails: their words and links, and text of users in them. */

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  type EmailMessage,
  entryEmail,
  invitationEmail,
  resetEmail,
  tableNotesEmail,
  thanksEmail,
  verificationEmail,
  workspaceInvitationEmail,
} from "../../src/mail/emails.ts"
import { membersLine, strangersLine } from "../../src/mail/lines.ts"
import { noticeEmail } from "../../src/mail/notice-emails.ts"
import { outsideEmail } from "../../src/mail/registration-emails.ts"

const URL_ = "https://app.example/x#token=t"
const LINKS = {
  enter: URL_,
  leave: "https://app.example/leave/x#token=t",
  place: "https://app.example/place/x#token=t",
  answers: "https://app.example/answers/x#token=t",
}
const NO_MORE = "https://app.example/unsubscribe/u"
const BAIT = "URGENT:\r\nBcc: x@evil.example go to https://evil.example/login or www.evil.example\u202e now"
const TITLE = "Node.js meetup 👨‍👩‍👧 می‌خواهم (https://events.example)"

const FACE = { language: null, coverUrl: null, logoUrl: null, accent: null, workspace: "Acme" }

const EVENT = {
  ...FACE,
  emailTexts: null,
  id: "0199a0f0-0000-7000-8000-000000000001",
  workspaceId: "0199a0f0-0000-7000-8000-000000000002",
  workspace: "Acme",
  description: null,
  location: null,
  timeZone: null,
  scheduledAt: null,
  scheduledEndAt: null,
  isCancelled: true,
  cancelReason: null,
  sequence: 1,
  changedAt: "2027-01-01T09:00:00.000Z",
} as const

/** Each with the name of a stranger, and with the title or the name that a member wrote. */
const LETTERS: ReadonlyArray<readonly [string, (stranger: string, member: string) => EmailMessage]> = [
  ["verification", (stranger) => verificationEmail("a@example.com", stranger, URL_)],
  ["reset", (stranger) => resetEmail("a@example.com", stranger, URL_)],
  [
    "invitation to a workspace",
    (_, member) => workspaceInvitationEmail("a@example.com", { workspace: member, role: "member" }, URL_, NO_MORE),
  ],
  [
    "invitation to an event",
    (_, member) =>
      invitationEmail("a@example.com", { ...FACE, workspace: member, event: member, role: "viewer" }, URL_, NO_MORE),
  ],
  [
    "entry",
    (name, event) =>
      entryEmail(
        "a@example.com",
        { ...FACE, name, event, when: null, timeZone: null, markdown: [], asks: true },
        LINKS,
      ),
  ],
  [
    "cancellation",
    (name, title) =>
      noticeEmail(
        { ...EVENT, title },
        { name, email: "a@example.com", isInvited: false, hasPlace: true, known: null },
        { event: URL_, own: null, unsubscribe: NO_MORE },
        { sender: null, stamp: "2027-01-02T09:00:00.000Z" },
      ),
  ],
  ...(["pending", "waiting", "offered", "expired"] as const).map(
    (state) =>
      [
        `registration that is ${state}`,
        (name: string, title: string) =>
          outsideEmail(
            { name, email: "a@example.com" },
            { ...FACE, title, scheduledAt: null, timeZone: null },
            { state, position: 2, offerEndsAt: "2027-01-02T09:00:00.000Z", declineReason: title },
            { links: { ...LINKS, place: URL_ }, eventPage: URL_ },
          ),
      ] as const,
  ),
  [
    "thanks",
    (name, event) =>
      thanksEmail(
        { ...FACE, name, event, email: "a@example.com", wasThere: true },
        { recap: URL_, survey: LINKS.answers, unsubscribe: NO_MORE },
      ),
  ],
  ["table notes", (name, event) => tableNotesEmail("a@example.com", { ...FACE, name, event }, URL_, NO_MORE)],
]

test.each(LETTERS)(
  "an email of %s keeps strangers from links, members' text as it is, and HTML safe",
  (_, emailWith) => {
    const letter = emailWith(BAIT, "Launch")
    for (const body of [letter.subject, letter.text, letter.html]) {
      expect(
        body.replaceAll(URL_, "").replaceAll(NO_MORE, "").replaceAll(LINKS.leave, "").replaceAll(LINKS.answers, ""),
      ).not.toMatch(/evil\.example|:\/\/|www\.(?!\u2060)|\u202e/)
    }
    for (const body of [letter.text, letter.html]) expect(body).toContain(URL_)
    const long = emailWith("Ada", `two\r\nlines ${"x".repeat(5000)}`)
    expect(long.subject).not.toMatch(/\p{Cc}/u)
    expect(long.subject.length).toBeLessThan(140)
    const { subject, text } = emailWith("Ada", TITLE)
    const isNamed = /invited| at |Cancelled|Registration|Waiting|free|over|Thank/.test(subject)
    expect([subject.includes(TITLE), text.includes(TITLE)]).toEqual([isNamed, isNamed])
    expect(emailWith(`<b>"A"</b>`, "<b>A</b>").html).not.toContain("<b>")
  },
)

test("a subject holds no text of users beyond the title of an event or the name of a workspace", () => {
  const subjects = LETTERS.map(([, emailWith]) => emailWith("Ada", "Analytical Engines").subject)
  expect(subjects).toEqual([
    "Confirm your e-mail address",
    "Choose a new password",
    "You are invited to Analytical Engines",
    "You are invited to Analytical Engines",
    "Your place at Analytical Engines",
    "Cancelled: Analytical Engines",
    "Registration received: Analytical Engines",
    "Waiting list: Analytical Engines",
    "A place is free: Analytical Engines",
    "Your offer is over: Analytical Engines",
    "Thank you for coming to Analytical Engines",
    "Notes of your table at Analytical Engines",
  ])
})

test("a link is escaped in HTML and stands as it is in plain text", () => {
  const letter = verificationEmail("a@example.com", "Ada", "https://app.example/?a=1&b=2")
  expect(letter.html).toContain('href="https://app.example/?a=1&amp;b=2"')
  expect(letter.text).toContain("https://app.example/?a=1&b=2")
})

const ENTRY = {
  ...FACE,
  name: "Ada",
  event: "Launch",
  when: "2027-03-01T17:00:00.000Z",
  timeZone: null,
  markdown: [],
  asks: false,
} as const

test("an entry email says when the event begins in words, and in which zone", () => {
  expect(entryEmail("a@example.com", ENTRY, LINKS).text).toContain("which begins on Monday, 1 March 2027 at 17:00 UTC.")
  expect(entryEmail("a@example.com", { ...ENTRY, timeZone: "Asia/Kolkata" }, LINKS).text).toContain(
    "which begins on Monday, 1 March 2027 at 22:30 (Asia/Kolkata, GMT+5:30).",
  )
})

describe("an email about an event in German", () => {
  const german = { ...ENTRY, language: "de", timeZone: "Europe/Berlin" } as const

  test("greets, names the event and its time, and says so in its HTML", () => {
    const { subject, text, html } = entryEmail("a@example.com", german, LINKS)
    expect(subject).toBe("Dein Platz: Launch")
    expect(text).toContain("Guten Tag Ada,\n\ndu bist für „Launch“ angemeldet.")
    expect(text).toContain("Beginn: Montag, 1. März 2027 um 18:00 (Europe/Berlin, GMT+1).")
    expect(text).toContain("Ich kann nicht kommen:\nhttps://app.example/leave/x#token=t")
    expect(html).toMatch(/^<!doctype html><html lang="de">/)
    expect(entryEmail("a@example.com", { ...german, name: "\u200b" }, LINKS).text).toMatch(/^Guten Tag,\n/)
  })

  test.each([
    ["moved", { ...EVENT, isCancelled: false, scheduledAt: "2027-03-02T17:00:00.000Z" }, "Neuer Termin: Launch"],
    ["postponed", { ...EVENT, isCancelled: false }, "Verschoben: Launch"],
    ["cancelled", { ...EVENT, cancelReason: "Krank" }, "Abgesagt: Launch"],
  ] as const)("tells that it is %s", (_, event, subject) => {
    const known = { title: "Launch", scheduledAt: ENTRY.when, scheduledEndAt: null, isCancelled: false }
    const email = noticeEmail(
      { ...event, title: "Launch", language: "de", timeZone: "Europe/Berlin" },
      { name: "Ada", email: "a@example.com", isInvited: false, hasPlace: true, known },
      { event: URL_, own: LINKS, unsubscribe: null },
      { sender: null, stamp: "2027-01-02T09:00:00.000Z" },
    )
    expect(email.subject).toBe(subject)
    expect(email.text).toContain("weil du dich für die Veranstaltung angemeldet hast.")
    expect(email.text).not.toMatch(/\b(?:the|you|event)\b/i)
  })
})

test("an email has the picture of its event, and the organisers' words as Markdown and as HTML", () => {
  const { text, html } = entryEmail(
    "a@example.com",
    {
      ...ENTRY,
      coverUrl: "https://cdn.example.com/a.jpg?w=1&h=2",
      markdown: ["**Bring** a laptop.", "<script>alert(1)</script> ![x](https://example.com/x.png)"],
    },
    LINKS,
  )
  expect(text).toContain("\n\n**Bring** a laptop.\n\n<script>alert(1)</script> ![x](https://example.com/x.png)\n\n")
  expect(html).toContain('<p><img src="https://cdn.example.com/a.jpg?w=1&amp;h=2" alt="" width="100%">')
  expect(html).toContain("<p><strong>Bring</strong> a laptop.</p>")
  expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;")
  expect(html).not.toContain("<script")
})

/** Texts of all kinds that an email has to leave as they are. */
const WRITTEN = [
  "Launch day",
  "Talks, e.g. on U.S. law, v1.2 & more",
  "Node.js meetup, ASP.NET and Vue.js",
  "St.Gallen meets",
  "https://events.example/launch",
  "👨‍👩‍👧 Family day",
  "🏴󠁧󠁢󠁳󠁣󠁴󠁿 Scotland meets",
  "می‌خواهم یاد بگیرم",
  "क्‍ष class",
  "שלום (עולם)",
  "𠮷野家",
  "第１回　勉強会",
  "Bonjour\u00a0! C’est «\u202fici\u202f»",
  "two  blanks",
  "x".repeat(300),
]

test("text of a member stays as it is, on one line, and is cut, never in the middle of a character", () => {
  for (const text of WRITTEN) expect(membersLine(text, "nothing")).toBe(text)
  for (const [text, shown] of [
    ["two\r\nlines\u2028three\u0000four", "two lines three four"],
    ["  around  ", "around"],
    ["\u202e\u200b", "nothing"],
    ["\ud800", "nothing"],
    ["  ", "nothing"],
    ["", "nothing"],
  ] as const) {
    expect([text, membersLine(text, "nothing")]).toEqual([text, shown])
  }
  for (const letter of ["👨‍👩‍👧", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "🇫🇷", "e\u0301", "\u1112\u1161\u11ab"]) {
    for (let most = 4; most < 3 + letter.length; most++) expect(membersLine(`xx${letter}y`, "", most)).toBe("xx…")
    expect(membersLine(`xx${letter}yz`, "", 3 + letter.length)).toBe(`xx${letter}…`)
  }
  expect(membersLine("x".repeat(1024), "")).toBe(`${"x".repeat(299)}…`)
  expect(membersLine(`${"x".repeat(8)}😀yz`, "", 10)).toBe(`${"x".repeat(8)}…`)
})

describe("text of a stranger", () => {
  test("reads as it was typed, and no part of it is an address", () => {
    for (const [text, shown] of [
      ["Ada Lovelace", "Ada Lovelace"],
      ["J. R. R. Tolkien", "J. R. R. Tolkien"],
      ["see evil.example/login", "see evil.\u2060example/\u2060login"],
      ["https://1.2.3.4 now", "https:\u2060/\u2060/\u20601.\u20602.\u20603.\u20604 now"],
      ["me@evil.co.uk", "me@\u2060evil.\u2060co.\u2060uk"],
      ["evil。example or evil．example", "evil。\u2060example or evil．\u2060example"],
      ["h\u200bttps:/\u2060/ev\u00adil", "https:\u2060/\u2060/\u2060evil"],
      ["\u202e\u200b", "nothing"],
    ] as const) {
      expect([text, strangersLine(text, "nothing")]).toEqual([text, shown])
    }
    for (const text of WRITTEN) expect(strangersLine(text, "nothing").replaceAll("\u2060", "")).toBe(text)
  })

  test("has a word joiner behind all that could join the parts of an address", () => {
    const piece = fc.constantFrom(...["https", ":", "//", "www", ".", "evil", " ", "\u200b", "\n", "@", "1", "。"])
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        expect(strangersLine(pieces.join(""), "nothing")).not.toMatch(/\S[.。:/@][^\s\u2060]/u)
      }),
      { numRuns: 1000 },
    )
  })
})
