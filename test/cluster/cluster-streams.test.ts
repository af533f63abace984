/** Frames of streams that reach another node than the stream. */
import { Effect, Exit, Layer } from "effect"
import { expect, test } from "vitest"
import { clusterStreamsLayer } from "../../src/cluster/link/cluster-streams.ts"
import { StreamSessions } from "../../src/identity/stream-sessions.ts"
import { Unauthorized, Unavailable } from "../../src/model/errors.ts"
import { openMemoryNetwork } from "../support/memory-link.ts"

const openNodes = async (count: number) => {
  const network = openMemoryNetwork()
  const nodes = await Promise.all(
    Array.from({ length: count }, () =>
      Effect.runPromise(
        Effect.scoped(Layer.build(clusterStreamsLayer.pipe(Layer.provide(network.node())))).pipe(
          Effect.flatMap((context) => Effect.provide(StreamSessions, context)),
        ),
      ),
    ),
  )
  return { network, nodes }
}

const bytes = (text: string): Uint8Array => Buffer.from(text)

const failureOf = async (passing: Effect.Effect<void, Unauthorized | Unavailable>): Promise<unknown> => {
  const exit = await Effect.runPromiseExit(passing)
  return Exit.isFailure(exit) ? Exit.findErrorOption(exit).valueOf() : undefined
}

test("a frame reaches the stream from every node, unchanged and in order, and no other stream", async () => {
  const { network, nodes } = await openNodes(3)
  const taken: string[] = []
  const others: string[] = []
  const { secret } = (nodes[0] as StreamSessions["Service"]).begin((frame) => taken.push(Buffer.from(frame).toString()))
  for (const node of nodes) node.begin((frame) => others.push(Buffer.from(frame).toString()))
  for (const [n, node] of nodes.entries()) await Effect.runPromise(node.pass(secret, bytes(`frame ${n} — ü`)))
  expect([taken, others]).toEqual([["frame 0 — ü", "frame 1 — ü", "frame 2 — ü"], []])
  // What crosses the link lets nobody send frames.
  expect(network.sent.map(({ text }) => text).join()).not.toContain(secret)
})

test("an unknown or ended session is refused on every node", async () => {
  const { nodes } = await openNodes(2)
  const [first, second] = nodes as [StreamSessions["Service"], StreamSessions["Service"]]
  const taken: string[] = []
  const session = first.begin((frame) => taken.push(Buffer.from(frame).toString()))
  session.end()
  const [place = ""] = session.secret.split(".")
  for (const secret of [session.secret, `${place}.${"x".repeat(43)}`, "", place, `*.${"x".repeat(43)}`]) {
    for (const node of [first, second]) {
      expect(await failureOf(node.pass(secret, bytes("late")))).toMatchObject({ value: expect.any(Unauthorized) })
    }
  }
  expect(taken).toEqual([])
})

test("a node that is gone gives no answer, which is temporary", async () => {
  const { nodes } = await openNodes(1)
  const elsewhere = `${"g".repeat(8)}.${"x".repeat(43)}`
  const failure = await failureOf((nodes[0] as StreamSessions["Service"]).pass(elsewhere, bytes("lost")))
  expect(failure).toMatchObject({ value: expect.any(Unavailable) })
})
