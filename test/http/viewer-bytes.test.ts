/** How many bytes may wait for viewers that read slowly. */
import { expect, test } from "vitest"
import { type Stretch, ViewerBytes } from "../../src/http/media/broadcasts/viewer-bytes.ts"
import { Problems } from "../../src/http/transport/problem.ts"

const MEBIBYTE = 1024 ** 2

/** A viewer that takes nothing until it is let go. */
const slowViewer = () => {
  let status: number | undefined
  let letGo = (): void => {}
  return {
    status: () => status,
    letGo: () => letGo(),
    exchange: {
      send: (response: { readonly status: number }) => {
        status = response.status
      },
      sendBytes: (code: number, _headers: unknown, _body: Uint8Array, whenSlow: () => () => void = () => () => {}) => {
        status = code
        letGo = whenSlow()
      },
      sendStream: (code: number) => {
        status = code
        return new Promise<void>((resolve) => {
          letGo = resolve
        })
      },
    },
  }
}

test("bytes that many viewers get count once; beyond the limit others are told to come back, until somebody has all", async () => {
  const bytes = new ViewerBytes(new Problems("https://example.org"), () => {}, 3 * MEBIBYTE)
  const give = (body: Uint8Array | Stretch) => {
    const viewer = slowViewer()
    bytes.give(viewer.exchange, [], body)
    return viewer
  }
  const [first, second, third] = [1, 2, 1].map((size) => new Uint8Array(size * MEBIBYTE))
  if (first === undefined || second === undefined || third === undefined) throw new Error("no bytes")
  const many = Array.from({ length: 100 }, () => give(first))
  const other = give(second)
  const last = give(third)
  expect([...many, other, last].every((viewer) => viewer.status() === 200)).toBe(true)
  let closed = 0
  const stored = (): Stretch => ({
    file: { read: () => Promise.resolve(0), close: () => Promise.resolve(void closed++) },
    offset: 0,
    bytes: 32 * MEBIBYTE,
  })
  expect(give(new Uint8Array(1)).status()).toBe(503)
  expect(give(stored()).status()).toBe(503)
  expect(closed).toBe(1)
  expect(give(first).status()).toBe(200)
  other.letGo()
  // Of a stored segment a piece counts.
  const readers = Array.from({ length: 6 }, () => give(stored()))
  expect(readers.map(({ status }) => status())).toEqual([200, 200, 200, 200, 200, 503])
  for (const { letGo } of readers) letGo()
  await expect.poll(() => closed).toBe(7)
  expect(give(new Uint8Array(1)).status()).toBe(200)
})
