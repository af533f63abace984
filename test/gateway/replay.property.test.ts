import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { newId } from "../../src/model/ids.ts"
import { toTimestamp } from "../../src/model/timestamp.ts"
import { forgetPublications } from "../../src/store/live/live-history.ts"
import { type ActorHouse, startActors } from "../support/live-events.ts"
import { eventually } from "../support/wait.ts"
import type { Client, Frame } from "./client.ts"
import { type House, openHouse, type Stage } from "./house.ts"
import { StreamClient } from "./stream-client.ts"

let house: House
let elsewhere: ActorHouse

beforeAll(async () => {
  house = await openHouse({ historyEntries: 12, tickMs: () => 5, lingerMs: 20, sweepMs: 10 })
  elsewhere = await startActors(house.databaseUrl, { node: "elsewhere" })
})
afterAll(async () => {
  await elsewhere.stop()
  await house.stop()
})

type Step =
  | { readonly do: "publish"; readonly count: number }
  /** Another process takes the event over, as after a kill: its dispatches are stored and reach no socket. */
  | { readonly do: "elsewhere"; readonly count: number }
  /** Tells one of them something of their own. */
  | { readonly do: "tell"; readonly who: number }
  /** The store lets go of everything that was said so far. */
  | { readonly do: "forget" }
  | { readonly do: "cut"; readonly who: number }
  | { readonly do: "join"; readonly who: number; readonly resume: boolean; readonly byStream: boolean }
  | { readonly do: "sync"; readonly who: number }

const WATCHERS = 3
/** Ids that participants may have, who are muted also while they are away. */
const NAMES = Array.from({ length: WATCHERS }, () => newId())
const who = fc.nat(WATCHERS - 1)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("publish" as const), count: fc.integer({ min: 1, max: 15 }) }),
  fc.record({ do: fc.constant("elsewhere" as const), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ do: fc.constant("tell" as const), who }),
  fc.record({ do: fc.constant("forget" as const) }),
  fc.record({ do: fc.constant("cut" as const), who }),
  fc.record({ do: fc.constant("join" as const), who, resume: fc.boolean(), byStream: fc.boolean() }),
  fc.record({ do: fc.constant("sync" as const), who }),
)

/** A watcher over several connections: checks every ordered object against the positions it holds. */
class Watcher {
  readonly name: string
  client: Client | undefined
  epoch = ""
  cursors: Record<string, number> = {}
  #read = 0
  /** The cursors of each request that a `ready` has yet to answer, oldest first. */
  #asked: Record<string, number>[] = []
  /** Up to here the server repeats what it was asked to repeat. */
  #repeatsTo: Record<string, number> = {}

  constructor(name: string) {
    this.name = name
  }

  begin(client: Client): void {
    this.client = client
    this.#read = 0
    this.#asked = []
    this.ask()
  }

  ask(): void {
    this.#asked.push({ ...this.cursors })
  }

  /** Reads on; throws at a hole or a repeat. */
  read(): void {
    const { received } = this.client ?? { received: [] }
    for (; this.#read < received.length; this.#read++) {
      const frame = received[this.#read]
      if (frame.t === "ready") this.#stand(frame.d)
      else if (frame.st !== undefined) this.#place(frame.st, frame.s)
    }
    // The id of a stream's last event is the position that a client of a socket keeps by itself.
    if (this.client instanceof StreamClient && this.epoch !== "") {
      expect(JSON.parse(this.client.stream.lastEventId ?? "{}")).toEqual({ epoch: this.epoch, cursors: this.cursors })
    }
  }

  #stand(ready: Frame): void {
    const asked = this.#asked.shift()
    this.epoch = ready.epoch
    this.#repeatsTo = ready.resumed ? { ...this.cursors } : {}
    if (ready.resumed) expect(ready.cursors).toEqual(asked)
    else this.cursors = { ...ready.cursors }
  }

  #place(stream: string, s: number): void {
    const last = this.cursors[stream] ?? 0
    if (s <= (this.#repeatsTo[stream] ?? 0)) return
    expect({ stream, s }).toEqual({ stream, s: last + 1 })
    this.cursors[stream] = s
  }
}

let texts = 0
const publish = (stage: Stage, count: number, actors = house.actors) =>
  Promise.all(
    Array.from({ length: count }, () =>
      actors.execute(stage.eventId, {
        type: "announce",
        d: { text: `t${texts++}` },
      }),
    ),
  )

/** Each time is another moment, so that each is something new. */
const tell = (stage: Stage, { name: id }: Watcher) =>
  house.actors.execute(stage.eventId, {
    type: "participant.mute",
    d: { id, until: toTimestamp(Date.now() + 3_600_000 + texts++) },
  })

const forget = () => forgetPublications(house.actors.sql, toTimestamp(Date.now() + 60_000), 10_000)

const take = async (stage: Stage, watcher: Watcher, taken: Step): Promise<void> => {
  if (taken.do === "cut") {
    await watcher.client?.cut()
    watcher.read()
    watcher.client = undefined
  } else if (taken.do === "join" && watcher.client === undefined) {
    const held = taken.resume && watcher.epoch !== "" ? { epoch: watcher.epoch, cursors: watcher.cursors } : undefined
    const token = await house.token(stage, watcher.name)
    const lastEventId = held === undefined ? undefined : JSON.stringify(held)
    const client = taken.byStream ? house.connectStream({ token, lastEventId }) : house.connect()
    watcher.begin(client)
    if (taken.byStream) await client.dispatch("ready")
    else await client.identify(token, held)
    watcher.read()
  } else if (taken.do === "sync" && watcher.client !== undefined) {
    watcher.read()
    watcher.ask()
    watcher.client.send({ op: 3, id: `sync${texts++}`, t: "sync", d: { cursors: watcher.cursors } })
  }
}

/** A step of the event itself; `undefined` for a step of its watchers. */
const say = (stage: Stage, watchers: ReadonlyArray<Watcher>, taken: Step): Promise<unknown> | undefined => {
  if (taken.do === "publish") return publish(stage, taken.count)
  if (taken.do === "elsewhere") return publish(stage, taken.count, elsewhere)
  if (taken.do === "tell") return tell(stage, watchers[taken.who] as Watcher)
  return taken.do === "forget" ? forget() : undefined
}

/** Each has received all dispatches of their own stream. */
const receivesOwn = async (stage: Stage, watchers: ReadonlyArray<Watcher>): Promise<void> => {
  const { personal } = await house.actors.read(stage.eventId, NAMES)
  for (const watcher of watchers) {
    await eventually(() => {
      watcher.read()
      return watcher.cursors["me"] === personal[watcher.name]?.head
    }, `${watcher.name} has received all of their own`)
  }
}

test("over any interleaving of publishing, broken links and resumes no place is skipped or repeated", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const stage = await house.stage()
      const watchers = NAMES.map((name) => new Watcher(name))
      const inFlight: Promise<unknown>[] = []
      for (const taken of steps) {
        const said = say(stage, watchers, taken)
        if (said !== undefined) inFlight.push(said)
        else if ("who" in taken) await take(stage, watchers[taken.who] as Watcher, taken)
      }
      await Promise.all(inFlight)
      for (const watcher of watchers) {
        if (watcher.client === undefined)
          await take(stage, watcher, { do: "join", who: 0, resume: true, byStream: true })
        await tell(stage, watcher)
      }
      const [last] = await publish(stage, 1)
      const isThere = ({ t, st, v, d }: Frame): boolean => {
        if (st === "event") return v >= (last?.version ?? 0)
        return (t === "caughtUp" || (t === "ready" && !d.resumed)) && d.v >= (last?.version ?? 0)
      }
      for (const watcher of watchers) {
        await watcher.client?.next(isThere, `version ${last?.version}`)
        watcher.read()
      }
      expect(new Set(watchers.map(({ cursors }) => cursors["event"])).size).toBe(1)
      await receivesOwn(stage, watchers)
      await Promise.all(watchers.map(({ client }) => client?.cut()))
    }),
    { numRuns: 12 },
  )
})
