/** Requests that wait for a reading: counted, taken once, and forgotten with their connection. */
import fc from "fast-check"
import { expect, test } from "vitest"
import type { Connection } from "../../src/gateway/connection/connection.ts"
import { ReadyRequests } from "../../src/gateway/recovery/ready-requests.ts"

/** Only its identity is looked at. */
const connectionOf = (participantId: string): Connection =>
  ({ identity: { participantId, role: "viewer", kind: "user" } }) as unknown as Connection

test("they are those that were added and whose connection has not closed, in the order of the connections", () => {
  const step = fc.record({ kind: fc.constantFrom("add", "add", "add", "forget", "take"), at: fc.nat({ max: 4 }) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const connections = ["a", "b", "c", "d", "e"].map(connectionOf)
      const requests = new ReadyRequests()
      let expected: ReadonlyArray<{ readonly connection: Connection; readonly since: number }> = []
      for (const [since, { kind, at }] of steps.entries()) {
        const connection = connections[at] as Connection
        if (kind === "add") {
          requests.add({ connection, resume: undefined, reason: "new", since })
          expected = [...expected, { connection, since }]
        } else if (kind === "forget") {
          requests.forget(connection)
          expected = expected.filter((one) => one.connection !== connection)
        } else {
          const taken = requests.take().map(({ connection: of, since: when = -1 }) => ({ connection: of, since: when }))
          expect(taken).toHaveLength(expected.length)
          expect(taken).toEqual(expect.arrayContaining([...expected]))
          expected = []
        }
        expect(requests.size).toBe(expected.length)
        const waiting = new Set(expected.map((one) => one.connection.identity.participantId))
        expect(requests.readers([]).participants.toSorted()).toEqual([...waiting].toSorted())
      }
    }),
  )
})
