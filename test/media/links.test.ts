/** Signed addresses: what they say, until when, and that nothing of it can be changed. */
import { expect, test } from "vitest"
import {
  type Held,
  hasHeldAddresses,
  heldLinkOf,
  type MediaLink,
  type MediaLinks,
  mediaLinksOf,
} from "../../src/media/links.ts"

const linksWith = (seed: number): MediaLinks["Service"] => mediaLinksOf([new Uint8Array(32).fill(seed)])

const links = linksWith(1)
const NOW = 1_800_000_000_000
const LINK: MediaLink = { use: "play", kind: "clip", id: "a1b2", audience: "public", expires: NOW / 1000 + 60 }

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

const HELD: Held = { eventId: "e1", ground: { as: "viewer", userId: "u1", sessionVersion: 3 }, givenAt: NOW }

test("an address says what it rests on, and nobody can change that", () => {
  const held: MediaLink = { use: "part", kind: "recording", id: "r1_2", audience: HELD, expires: NOW / 1000 + 60 }
  const token = links.sign(held)
  expect(links.verify(token, NOW)).toEqual(held)
  const parts = token.split(".")
  const others = Buffer.from(JSON.stringify({ ...HELD, ground: { as: "manager" } })).toString("base64url")
  for (const given of [
    parts.with(5, others),
    parts.toSpliced(5, 1),
    parts.with(3, "workspace"),
    parts.with(3, "public"),
  ]) {
    expect(links.verify(given.join("."), NOW), given.join(".")).toBe("altered")
  }
  expect(heldLinkOf(held)).toEqual({ ...HELD, kind: "upload", objectId: "r1", expiresAt: NOW + 60_000 })
  expect(heldLinkOf(LINK)).toBeUndefined()
})

test("the workspace's address of a private broadcast becomes the holder's own, and to nobody it is no credential", () => {
  const watch = { use: "play", kind: "broadcast", id: "b1", expires: NOW / 1000 + 60 } as const
  const key = links.sign({ ...watch, audience: "workspace" })
  const text = (at: string) => `{"playbackUrl":"https://x.example/v1/live/${at}/index.m3u8"}`
  expect(links.personal(text(key), HELD)).toBe(text(links.sign({ ...watch, audience: HELD })))
  expect(links.personal(text(key), undefined)).toBe(text("b1"))
  expect([hasHeldAddresses(text(key)), hasHeldAddresses(text("b1"))]).toEqual([true, false])
  // What somebody writes into a chat is no address of this server.
  const foreign = text(linksWith(2).sign({ ...watch, audience: "workspace" }))
  expect(links.personal(foreign, HELD)).toBe(foreign)
})
