/** Every request of a live event, and its answers, can cross from node to node, and from one release to the next. */
import { Schema } from "effect"
import { expect, test } from "vitest"
import { LiveEventEntity } from "../../src/actors/protocol.ts"
import { nodeSerialization } from "../../src/cluster/node-transport.ts"

const requests = [...LiveEventEntity.protocol.requests.values()]

test.each(requests.map((request) => [request._tag, request] as const))("%s has a form on the wire", (_, request) => {
  for (const schema of [request.payloadSchema, request.successSchema, request.errorSchema]) {
    expect(() => nodeSerialization.codecFor(schema as Schema.Codec<unknown, unknown>)).not.toThrow()
  }
})

test("a newer release's field is no obstacle", () => {
  const report = LiveEventEntity.protocol.requests.get("ReportPresence")
  const codec = nodeSerialization.codecFor(report?.payloadSchema as Schema.Codec<unknown, unknown>)
  const parser = nodeSerialization.makeUnsafe()
  const wire = { node: "a", changes: [{ type: "leave", participantId: "p", since: 1 }], later: true }
  const [crossed] = nodeSerialization.makeUnsafe().decode(parser.encode(wire) ?? "")
  expect(Schema.decodeUnknownSync(codec as Schema.Codec<unknown, unknown>)(crossed)).toEqual({
    node: "a",
    changes: [{ type: "leave", participantId: "p" }],
  })
})
