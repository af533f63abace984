/** The session's status is the last one the server sent, however the network cuts its messages. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { TransactionStatus } from "../../../src/store/pool/transaction-status.ts"

const LETTERS = { I: "idle", T: "transaction", E: "failed" } as const

const message = (type: string, body: Uint8Array): Buffer => {
  const head = Buffer.alloc(5)
  head.write(type, 0, "latin1")
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** Bodies are full of the byte that would begin a `ReadyForQuery`. */
const other = fc
  .tuple(
    fc.constantFrom("1", "2", "C", "D", "T", "S", "N", "E"),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => bytes.map((byte) => (byte % 3 === 0 ? 0x5a : byte))),
  )
  .map(([type, body]) => ({ bytes: message(type, body), status: undefined }))
const ready = fc
  .constantFrom("I", "T", "E")
  .map((letter) => ({ bytes: message("Z", Buffer.from(letter)), status: LETTERS[letter as keyof typeof LETTERS] }))

test("is that of the last ReadyForQuery that came whole, for any cutting", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(other, ready), { maxLength: 30 }),
      fc.array(fc.nat({ max: 200 }), { maxLength: 30 }),
      (messages, cuts) => {
        const stream = Buffer.concat(messages.map(({ bytes }) => bytes))
        const status = new TransactionStatus()
        const positions = [...new Set([...cuts.map((cut) => cut % (stream.length + 1)), stream.length])].sort(
          (a, b) => a - b,
        )
        let from = 0
        for (const to of positions) {
          status.take(stream.subarray(from, to))
          from = to
          let whole = 0
          let expected: string = "unknown"
          for (const { bytes, status: said } of messages) {
            whole += bytes.length
            if (whole > to) break
            expected = said ?? expected
          }
          expect(status.status).toBe(expected)
        }
      },
    ),
    { numRuns: 2_000 },
  )
})
