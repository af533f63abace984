/** The copy of a broadcast for the viewers of a node that does not own it. */
import { Effect } from "effect"
import { expect, onTestFinished, test } from "vitest"
import { systemTimers } from "../../src/clock/timers.ts"
import type { FollowRequest, OwnerAnswer } from "../../src/media/placed/calls/protocol.ts"
import { refusedBecause } from "../../src/media/placed/calls/refusals.ts"
import { Replicas } from "../../src/media/placed/calls/replicas.ts"
import type { WatchedBroadcast } from "../../src/media/placed/watched-broadcast.ts"
import { Unavailable } from "../../src/model/errors.ts"
import { openOwner } from "../support/broadcast-owner.ts"
import { eventually } from "../support/wait.ts"
import { fixture, padded } from "./broadcast/support.ts"

const STREAM = fixture("ffmpeg-stream.mp4")
const OF = { id: "broadcast", eventId: "event" }

type Owner = ReturnType<typeof openOwner>

const openNode = (first: Owner) => {
  const house = { owner: first as Owner | undefined, answers: [] as OwnerAnswer[] }
  const replicas = new Replicas(systemTimers, async (_, request: FollowRequest) => {
    const answer =
      house.owner === undefined
        ? refusedBecause(new Unavailable({ detail: "moving", retryAfterSeconds: 1 }))
        : await house.owner.ask(request)
    house.answers.push(answer)
    return answer
  })
  onTestFinished(() => replicas.closeAll())
  return { house, replicas }
}

const newOwner = () => openOwner(systemTimers, Promise.resolve())

/** Writes it slowly enough for parts to be seen. */
const pushTo = async ({ one }: Owner, bytes = STREAM): Promise<void> => {
  const input = one.input.openStream(() => {})
  for (let at = 0; at < bytes.byteLength; at += 5000) {
    input.write(bytes.subarray(at, at + 5000))
    await one.live.settled()
  }
  input.end()
  await one.live.settled()
}

const isAsOwner =
  (replica: WatchedBroadcast, { one }: Owner) =>
  () =>
    replica.live.playlist.body.equals(one.live.playlist.body)

const expectBytes = (replica: WatchedBroadcast, { one }: Owner): void => {
  const { segments } = one.live.state.window
  expect(segments.length).toBeGreaterThan(1)
  for (const { number, parts } of segments.slice(-4)) {
    const files = [
      { kind: "segment", segment: number } as const,
      ...parts.map((_, index) => ({ kind: "part", segment: number, index }) as const),
    ]
    for (const file of files) {
      const bytes = replica.live.memory.file(file)
      expect(bytes?.equals(one.live.memory.file(file) ?? Buffer.alloc(0)), JSON.stringify(file)).toBe(true)
    }
  }
}

test("each byte comes to a node once, however many watch there, and is what the owner has", async () => {
  const owner = newOwner()
  const { house, replicas } = openNode(owner)
  await pushTo(owner)
  await pushTo(owner)
  const opened = await Promise.all(Array.from({ length: 100 }, () => Effect.runPromise(replicas.open(OF))))
  const [replica] = opened
  if (replica === undefined) throw new Error("none")
  expect(new Set(opened).size).toBe(1)
  expect(replica.live.playlist).toEqual(owner.one.live.playlist)
  await pushTo(owner)
  await eventually(isAsOwner(replica, owner), "the same playlist")
  expectBytes(replica, owner)
  const { take } = owner.one.live.state.window.segments[0] ?? { take: 0 }
  const init = { kind: "init", take } as const
  expect(replica.live.memory.file(init)?.equals(owner.one.live.memory.file(init) ?? Buffer.alloc(0))).toBe(true)
  const sent = house.answers.flatMap((answer) => (answer.type === "followed" ? answer.parts : []))
  const names = sent.map(({ segment, index }) => `${segment}.${index}`)
  expect(new Set(names).size).toBe(names.length)
})

test("a part of any length comes in stretches, so that other calls between the nodes need not wait for it", async () => {
  const owner = newOwner()
  const { house, replicas } = openNode(owner)
  await pushTo(owner)
  const replica = await Effect.runPromise(replicas.open(OF))
  await pushTo(owner, padded(STREAM, 3_000_000))
  await eventually(isAsOwner(replica, owner), "the same playlist")
  expectBytes(replica, owner)
  const sizes = house.answers.map((answer) => JSON.stringify(answer).length)
  expect(Math.max(...sizes)).toBeLessThan(800_000)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(30_000_000)
})

test("another owner's state takes the place of the one before, also where it has less", async () => {
  const before = newOwner()
  const { house, replicas } = openNode(before)
  for (let times = 0; times < 3; times += 1) await pushTo(before)
  const replica = await Effect.runPromise(replicas.open(OF))
  await eventually(isAsOwner(replica, before), "the same playlist")
  const changes: number[] = []
  replica.live.changes.subscribe(() => changes.push(replica.live.state.nextSegment))

  // Viewers have the last state meanwhile.
  house.owner = undefined
  await eventually(() => house.answers.at(-1)?.type === "refused", "the loss")
  expect(isAsOwner(replica, before)()).toBe(true)
  const after = newOwner()
  const input = after.one.input.openStream(() => {})
  input.write(STREAM)
  await after.one.live.settled()
  house.owner = after
  await eventually(isAsOwner(replica, after), "the playlist of the next owner")
  expect(replica.live.state.nextSegment).toBeLessThan(before.one.live.state.nextSegment)
  input.end()
  await pushTo(after)
  await eventually(isAsOwner(replica, after), "what comes then")
  expectBytes(replica, after)
  expect(changes.length).toBeGreaterThan(1)
})

test("the end is told, and afterwards the owner is asked nothing more", async () => {
  const owner = newOwner()
  const { house, replicas } = openNode(owner)
  await pushTo(owner)
  const replica = await Effect.runPromise(replicas.open(OF))
  await owner.one.live.end()
  await eventually(() => replica.live.hasEnded, "the end")
  const asked = house.answers.length
  expect(replica.live.playlist.body.toString()).toContain("#EXT-X-ENDLIST")
  // timed: a request that is not made has no signal; a slow machine waits for longer.
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(house.answers.length).toBe(asked)
  expect(replicas.use(OF.id)).toBe(replica)
})
