/** Pieces of encoders that the server takes more slowly than they come. */
import { expect, test } from "vitest"
import { OutgoingPieces } from "../../src/sfu/encoder/outgoing-pieces.ts"

const MEBIBYTE = 1024 * 1024

/** A server that takes pieces when it is told to. */
const openServer = () => {
  const sent: Array<string> = []
  const waiting: Array<() => void> = []
  const pieces = new OutgoingPieces((session, { bytes }, onTaken) => {
    sent.push(`${session} ${String.fromCharCode(bytes[0] ?? 0)}`)
    waiting.push(onTaken)
  })
  const add = (session: string, name: string, isInit = false): void =>
    pieces.add(session, { isInit, bytes: Buffer.alloc(isInit ? 100 : MEBIBYTE + 1, name) })
  const takeAll = (): void => {
    for (const take of waiting.splice(0)) take()
  }
  return { pieces, sent, add, takeAll }
}

test("an encoder whose pieces are not taken loses fragments, and another one none", () => {
  const { sent, add, takeAll } = openServer()
  for (const name of "abcdef") add("large", name)
  add("small", "a")
  expect(sent).toEqual(["large a", "large b", "large c", "large d", "small a"])
  takeAll()
  add("large", "g")
  expect(sent.slice(5)).toEqual(["large g"])
})

test("the latest description is sent before the first fragment that is, however late", () => {
  const { pieces, sent, add, takeAll } = openServer()
  add("obs", "i", true)
  for (const name of "abcd") add("obs", name)
  add("obs", "j", true)
  add("obs", "e")
  add("obs", "k", true)
  add("obs", "f")
  expect(sent.splice(0)).toEqual(["obs i", "obs a", "obs b", "obs c", "obs d"])
  takeAll()
  add("obs", "g")
  add("obs", "h")
  expect(sent.splice(0)).toEqual(["obs k", "obs g", "obs h"])
  // What waits is forgotten with its session.
  for (const name of "abcd") add("obs", name)
  add("obs", "l", true)
  pieces.end("obs")
  takeAll()
  sent.length = 0
  add("obs", "a")
  expect(sent).toEqual(["obs a"])
})
