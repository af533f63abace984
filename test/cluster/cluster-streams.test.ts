/** Frames of streams that reach another node than the stream. */
import { Clock, Effect, Exit, Layer } from "effect"
import { expect, test } from "vitest"
import { clusterStreamsLayer } from "../../src/cluster/link/cluster-streams.ts"
import type { KeyRing } from "../../src/crypto/secret-key.ts"
import { StreamSessions, streamSessionsHere } from "../../src/identity/stream-sessions.ts"
import { Unauthorized, Unavailable } from "../../src/model/errors.ts"
import { openMemoryNetwork } from "../support/memory-link.ts"
import { openVirtualTime } from "../support/virtual-time.ts"

type Node = StreamSessions["Service"]

const keyOf = (fill: number): Uint8Array => Buffer.alloc(32, fill)
const KEYS: KeyRing = [keyOf(1)]

const openNodes = async (...rings: ReadonlyArray<KeyRing>) => {
  const network = openMemoryNetwork()
  const time = await openVirtualTime()
  const nodes = await Promise.all(
    rings.map((keys) =>
      Effect.runPromise(
        Effect.scoped(Layer.build(clusterStreamsLayer(keys).pipe(Layer.provide(network.node())))).pipe(
          Effect.flatMap((context) => Effect.provide(StreamSessions, context)),
          Effect.provideService(Clock.Clock, time.clock),
        ),
      ),
    ),
  )
  return { network, time, nodes: nodes as [Node, Node, Node] }
}

const passing = (node: Node, secret: string, frame: string): Effect.Effect<void, Unauthorized | Unavailable> =>
  Effect.flatMap(node.find(secret), (pass) => pass(Buffer.from(frame)))

const failureOf = async (node: Node, secret: string): Promise<unknown> => {
  const exit = await Effect.runPromiseExit(passing(node, secret, "frame"))
  return Exit.isFailure(exit) ? Exit.findErrorOption(exit).valueOf() : undefined
}

const REFUSED = { value: expect.any(Unauthorized) }
const LATER = { value: expect.any(Unavailable) }

test("a frame reaches the stream from every node, unchanged and in order, and no other stream", async () => {
  const { network, nodes } = await openNodes(KEYS, KEYS, KEYS)
  const taken: string[] = []
  const others: string[] = []
  const { secret } = nodes[0].begin((frame) => taken.push(Buffer.from(frame).toString()))
  for (const node of nodes) node.begin((frame) => others.push(Buffer.from(frame).toString()))
  for (const [n, node] of nodes.entries()) await Effect.runPromise(passing(node, secret, `frame ${n} — ü`))
  expect([taken, others]).toEqual([["frame 0 — ü", "frame 1 — ü", "frame 2 — ü"], []])
  // What crosses the link lets nobody send frames.
  expect(network.sent.map(({ text }) => text).join()).not.toContain(secret)
})

test("an ended session is refused on every node", async () => {
  const { nodes } = await openNodes(KEYS, KEYS)
  const taken: string[] = []
  const session = nodes[0].begin((frame) => taken.push(Buffer.from(frame).toString()))
  session.end()
  for (const node of nodes) expect(await failureOf(node, session.secret)).toMatchObject(REFUSED)
  expect(taken).toEqual([])
})

test("nothing crosses for a session that no node has signed", async () => {
  const { network, nodes } = await openNodes(KEYS, KEYS)
  const { secret } = nodes[0].begin(() => {})
  const [place = "", random = "", tag = ""] = secret.split(".")
  const forged = [
    "",
    place,
    `${place}.${random}`,
    `${place}.${random}.`,
    `${place}.${random}.${"A".repeat(22)}`,
    `${place}.${"x".repeat(43)}.${tag}`,
    `${"g".repeat(8)}.${random}.${tag}`,
    `*.${random}.${tag}`,
    streamSessionsHere([keyOf(2)], place).begin(() => {}).secret,
  ]
  for (const text of forged) {
    for (const node of nodes) expect(await failureOf(node, text)).toMatchObject(REFUSED)
  }
  expect(network.sent).toEqual([])
})

test("a changed key: sessions that the old one signed are known on nodes that have it as an old one", async () => {
  const { nodes } = await openNodes(KEYS, [keyOf(2), keyOf(1)], [keyOf(2)])
  const { secret } = nodes[0].begin(() => {})
  expect(await failureOf(nodes[1], secret)).toBeUndefined()
  expect(await failureOf(nodes[2], secret)).toMatchObject(REFUSED)
})

/** A session of a node that is gone. */
const gone = () => streamSessionsHere(KEYS).begin(() => {}).secret

test("a node that is gone gives no answer, which is temporary", async () => {
  const { nodes, time } = await openNodes(KEYS)
  const failure = failureOf(nodes[0], gone())
  await time.pass(2000)
  expect(await failure).toMatchObject(LATER)
})

test("the frames that wait for other nodes are limited, and those without an answer give their places back", async () => {
  const { network, nodes, time } = await openNodes(KEYS)
  const secret = gone()
  const waiting = Array.from({ length: 10_000 }, () => failureOf(nodes[0], secret))
  expect(await failureOf(nodes[0], secret)).toMatchObject(LATER)
  expect(network.sent.length).toBe(10_000)
  await time.pass(2000)
  for (const failure of await Promise.all(waiting)) expect(failure).toMatchObject(LATER)
  const next = failureOf(nodes[0], secret)
  await time.pass(2000)
  expect(await next).toMatchObject(LATER)
  expect(network.sent.length).toBe(10_001)
})
