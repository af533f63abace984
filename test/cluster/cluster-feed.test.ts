/** What of a live event's feed, and of changed grants, reaches the other nodes, and in which form. */
import { Effect, Layer } from "effect"
import { expect, test } from "vitest"
import type { NodeMessage } from "../../src/actors/calls/node-messages.ts"
import { Feed, type FeedMessage } from "../../src/actors/feed.ts"
import { Ownership } from "../../src/actors/ownership/ownership.ts"
import { NO_PHASE } from "../../src/actors/state/state.ts"
import { clusterFeedLayer, FEED_FORMAT } from "../../src/cluster/link/cluster-feed.ts"
import { clusterGrantsLayer } from "../../src/cluster/link/cluster-grants.ts"
import { NodeLink } from "../../src/cluster/link/node-link.ts"
import { type GrantChange, GrantChanges } from "../../src/identity/grant-changes.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { type MemoryNetwork, openMemoryNetwork } from "../support/memory-link.ts"

const commit = (given: Partial<FeedMessage> = {}): FeedMessage => ({
  kind: "commit",
  eventId: "e1",
  epoch: "h1",
  fencingToken: 3,
  from: 7,
  version: 8,
  status: "live",
  visibility: "public",
  phase: NO_PHASE,
  lobby: "open",
  publications: [{ stream: "event", s: 4, version: 8, frame: '{"t":"chat.message"}', at: toTimestamp(0) }],
  ephemeral: [{ stream: "stage", key: "k", frame: "{}" }],
  ejections: [{ who: "participant", participantId: "p1", reason: "removed" }],
  participantChanges: [{ participantId: "p1", role: "host" }],
  ...given,
})

const feedOf = (network: MemoryNetwork): Promise<Feed["Service"]> =>
  Effect.runPromise(Feed.pipe(Effect.provide(clusterFeedLayer), Effect.provide(network.node())))

const hear = (feed: Feed["Service"], eventId = "e1") => {
  const heard: FeedMessage[] = []
  const stop = feed.subscribe(eventId, (message) => heard.push(message))
  return { heard, stop }
}

test("every listener of the event hears a message as it was published, on each node, and once", async () => {
  const network = openMemoryNetwork()
  const [owner, other] = [await feedOf(network), await feedOf(network)]
  const heard = [hear(owner), hear(other), hear(other)]
  const elsewhere = hear(other, "e2")
  const message = commit()
  owner.publish(message)
  expect(heard.map((one) => one.heard)).toEqual([[message], [message], [message]])
  expect(elsewhere.heard).toEqual([])
  heard[1]?.stop()
  heard[1]?.stop()
  owner.publish(commit({ from: 8, version: 9 }))
  expect(heard.map((one) => one.heard.length)).toEqual([2, 1, 2])
  heard[2]?.stop()
  owner.publish(commit({ from: 9, version: 10 }))
  expect(heard.map((one) => one.heard.length)).toEqual([3, 1, 2])
})

test("a message that is too long for the link reaches other nodes as a gap, which they fill from the store", async () => {
  const network = openMemoryNetwork(2000)
  const [owner, other] = [await feedOf(network), await feedOf(network)]
  const [here, there] = [hear(owner), hear(other)]
  // Two bytes for each letter.
  const long = commit({
    publications: [{ stream: "event", s: 4, version: 8, frame: "ä".repeat(900), at: toTimestamp(0) }],
  })
  owner.publish(long)
  expect(here.heard).toEqual([long])
  expect(there.heard).toEqual([
    { ...long, kind: "note", from: 8, publications: [], ephemeral: [], ejections: [], participantChanges: [] },
  ])
})

test("a message of another format is not understood, so the node compares its events with the store", async () => {
  const network = openMemoryNetwork()
  const [owner, other] = [await feedOf(network), await feedOf(network)]
  const { heard } = hear(other)
  let resets = 0
  other.onReset(() => resets++)
  owner.publish(commit())
  const [sent] = network.sent
  expect(JSON.parse(sent?.text ?? "")).toMatchObject({ v: FEED_FORMAT })
  const later = await Effect.runPromise(NodeLink.pipe(Effect.provide(network.node())))
  later.publish(sent?.subject ?? "", JSON.stringify({ ...JSON.parse(sent?.text ?? ""), v: FEED_FORMAT + 1 }))
  expect([heard.length, resets]).toEqual([1, 1])
  network.reset()
  expect(resets).toBe(2)
})

test("a message to a node reaches its listeners there and no other node, and one that is too long reaches nobody", async () => {
  const network = openMemoryNetwork(2000)
  const [owner, other] = [await feedOf(network), await feedOf(network)]
  const listen = (feed: Feed["Service"], node: string, eventId = "e1") => {
    const heard: NodeMessage[] = []
    return { heard, stop: feed.listen(node, eventId, (message) => heard.push(message)) }
  }
  const message = (n: number, data = "v=0"): NodeMessage => ({
    eventId: "e1",
    sequence: "s",
    n,
    news: {
      type: "signal",
      from: "a",
      signal: { to: "b", kind: "offer", data, gen: 0 },
      to: { socket: 1, connectionId: "b" },
    },
  })
  // A name as that of a host, whose dots and spaces no subject may take.
  const name = "host.example 1:2:>*"
  const [here, there, elsewhere] = [listen(owner, "here"), listen(other, name), listen(other, name, "e2")]
  owner.tell(name, message(1))
  owner.tell("here", message(2))
  owner.tell(name, message(3, "x".repeat(2000)))
  expect([here, there, elsewhere].map(({ heard }) => heard)).toEqual([[message(2)], [message(1)], []])
  expect(network.sent.map(({ subject }) => subject)).toEqual([expect.stringMatching(/^node\.[A-Za-z0-9_-]+$/)])
  there.stop()
  owner.tell(name, message(4))
  const again = listen(other, name)
  owner.tell(name, message(5))
  expect([there.heard, again.heard]).toEqual([[message(1)], [message(5)]])
})

const openGrants = (network: MemoryNetwork, node: string, others: ReadonlyArray<string> = []) => {
  const ownership = { ...Ownership.alone(node, () => true), others: () => others }
  const layers = Layer.merge(network.node(), Layer.succeed(Ownership, ownership))
  return Effect.runPromise(GrantChanges.pipe(Effect.provide(clusterGrantsLayer), Effect.provide(layers)))
}

test("who changes grants waits for the gateways of all nodes, and for what each of them has heard before", async () => {
  const network = openMemoryNetwork()
  const first = await openGrants(network, "first", ["second", "third"])
  const rest = [await openGrants(network, "second"), await openGrants(network, "third")]
  const forgotten = [{ eventId: "e", userId: "u", version: 7 }]
  const asked: unknown[] = []
  const releases: Array<() => void> = []
  for (const node of [first, ...rest]) {
    node.addGateway((given) => {
      asked.push(given)
      return new Promise((resolve) => releases.push(resolve))
    })
  }
  let isSettled = false
  const settled = first.settled(forgotten).then(() => {
    isSettled = true
  })
  expect(asked).toEqual([forgotten, forgotten, forgotten])
  for (const release of releases) {
    await new Promise(setImmediate)
    expect(isSettled).toBe(false)
    release()
  }
  await settled
})

test("a change of grants reaches every node, and a lost link makes all sockets be checked", async () => {
  const network = openMemoryNetwork()
  const [first, second] = [await openGrants(network, "first"), await openGrants(network, "second")]
  const heard: Array<readonly [string, GrantChange]> = []
  first.subscribe((change) => heard.push(["first", change]))
  second.subscribe((change) => heard.push(["second", change]))
  first.publish({ keyId: "k1" })
  expect(heard).toEqual([
    ["first", { keyId: "k1" }],
    ["second", { keyId: "k1" }],
  ])
  heard.length = 0
  network.reset()
  expect(heard).toEqual([
    ["first", {}],
    ["second", {}],
  ])
})
