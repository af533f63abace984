/** Signed addresses: what they say, until when, and that nothing of it can be changed. */
import { expect, test } from "vitest"
import { type Link, type MediaLinks, mediaLinksOf } from "../../src/media/links.ts"

const linksWith = (seed: number): MediaLinks["Service"] => mediaLinksOf([new Uint8Array(32).fill(seed)])

const links = linksWith(1)
const NOW = 1_800_000_000_000
const LINK: Link = { use: "play", kind: "clip", id: "a1b2", audience: "public", expires: NOW / 1000 + 60 }

test("an address is valid to the end of its time and not after it", () => {
  const token = links.sign(LINK)
  expect(links.verify(token, NOW + 59_999)).toEqual(LINK)
  expect(links.verify(token, NOW + 60_000)).toBe("expired")
})

test("an address of which one character is changed, added or left out is not valid", () => {
  const token = links.sign(LINK)
  for (let at = 0; at < token.length; at++) {
    const other = token[at] === "A" ? "B" : "A"
    // The last character of base64url has bits that mean nothing.
    const isTail = at === token.length - 1
    if (!isTail) expect(links.verify(token.slice(0, at) + other + token.slice(at + 1), NOW), String(at)).toBe("altered")
    expect(links.verify(token.slice(0, at) + token.slice(at + 1), NOW), String(at)).toBe("altered")
  }
  for (const given of ["", ".", "....", "play.clip.a1b2.public.1900000000.", `${token}.x`]) {
    expect(links.verify(given, NOW), given).toBe("altered")
  }
})

test("an address of another server's key is not valid", () => {
  expect(links.verify(linksWith(2).sign(LINK), NOW)).toBe("altered")
})

test("an address that an older key signed is valid, and the newest key signs", () => {
  const [older, newer] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
  const both = mediaLinksOf([newer, older])
  expect(both.verify(links.sign(LINK), NOW)).toEqual(LINK)
  expect(linksWith(2).verify(both.sign(LINK), NOW)).toEqual(LINK)
  expect(links.verify(both.sign(LINK), NOW)).toBe("altered")
})
