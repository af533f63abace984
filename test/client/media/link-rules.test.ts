/** The rules of the link to one peer: first offers, generations, the watchdog, restarts, and how all of it ends. */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  backoffMs,
  type LinkEffect,
  type LinkEvent,
  type LinkTimer,
  linkAfter,
  newLink,
  type PeerLinkState,
} from "../../../packages/client/src/media/link-rules.ts"

const OFFERING = newLink("b", "a")
const WAITING = newLink("a", "b")

const START: LinkEvent = { type: "start" }
const due = (timer: LinkTimer): LinkEvent => ({ type: "due", timer })
const to = (state: string): LinkEvent => ({ type: "changed", to: state })
const signal = (kind: "offer" | "answer" | "candidates", gen = 0): LinkEvent => ({ type: "signal", kind, gen })

/** The link after all events, and the effects of the last one. */
const taken = (link: PeerLinkState, ...events: ReadonlyArray<LinkEvent>) => {
  let now = link
  let effects: ReadonlyArray<LinkEffect> = []
  for (const event of events) {
    const done = linkAfter(now, event)
    now = done.link
    effects = done.effects
  }
  return { link: now, effects }
}

const opens = (effects: ReadonlyArray<LinkEffect>) => effects.filter(({ type }) => type === "open")
const timers = (effects: ReadonlyArray<LinkEffect>) =>
  effects.flatMap((effect) => (effect.type === "timer" ? [[effect.timer, effect.ms]] : []))

describe("the first connection", () => {
  test("the greater id offers, and the other side waits for the offer", () => {
    expect([OFFERING.offers, WAITING.offers]).toEqual([true, false])
    expect(opens(taken(OFFERING, START).effects)).toEqual([{ type: "open", gen: 0, offer: true }])
    expect(taken(WAITING, START).effects.map(({ type }) => type)).toEqual(["timer"])
  })

  test("an offer opens the connection of the side that waits, and is applied to it", () => {
    const { link, effects } = taken(WAITING, START, signal("offer"))
    expect(link).toMatchObject({ gen: 0, state: "connecting" })
    expect(opens(effects)).toEqual([{ type: "open", gen: 0, offer: false }])
    expect(effects.at(-1)).toEqual({ type: "apply" })
  })

  test.each(["answer", "candidates"] as const)("%s before any connection are ignored", (kind) => {
    expect(taken(WAITING, START, signal(kind)).effects).toEqual([])
  })

  test("one that is not connected after eight seconds is given up, and another follows with the next generation", () => {
    expect(timers(taken(OFFERING, START).effects)).toEqual([["watchdog", 8000]])
    const { link, effects } = taken(OFFERING, START, due("watchdog"))
    expect(effects).toContainEqual({ type: "close" })
    expect(timers(effects)).toEqual([["reopen", 1000]])
    expect(opens(linkAfter(link, due("reopen")).effects)).toEqual([{ type: "open", gen: 1, offer: true }])
  })

  test("the waits between failures are 1, 2, 4, 8 and 8 seconds, and begin anew after a connection", () => {
    let link = taken(OFFERING, START).link
    const waits: number[] = []
    for (let n = 0; n < 5; n++) {
      const failed = linkAfter(link, due("watchdog"))
      waits.push(...timers(failed.effects).map(([, ms]) => Number(ms)))
      link = linkAfter(failed.link, due("reopen")).link
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 8000])
    expect(taken(link, to("connected")).link.failures).toBe(0)
    expect([0, 3, 50].map(backoffMs)).toEqual([1000, 8000, 8000])
  })

  test("each further try has eight seconds more, up to thirty-two, until one is connected", () => {
    let link = OFFERING
    let next: LinkEvent = START
    const waits: unknown[] = []
    for (let n = 0; n < 5; n++) {
      const begun = linkAfter(link, next)
      waits.push(...timers(begun.effects))
      link = linkAfter(begun.link, due("watchdog")).link
      next = due("reopen")
    }
    expect(waits).toEqual([8, 16, 24, 32, 32].map((seconds) => ["watchdog", seconds * 1000]))
    const { effects } = taken(link, due("reopen"), to("connected"), { type: "broken" }, due("reopen"))
    expect(timers(effects)).toEqual([["watchdog", 8000]])
  })

  test("the tries of the side that waits are those that it is offered", () => {
    const { effects } = taken(WAITING, START, signal("offer"), signal("offer", 1), signal("offer", 2))
    expect(timers(effects)).toEqual([["watchdog", 27_000]])
  })

  test("the side that waits has more patience, and then offers itself", () => {
    const [[name, ms] = []] = timers(taken(WAITING, START).effects)
    expect([name, Number(ms) > 8000 + backoffMs(0)]).toEqual(["watchdog", true])
    const { effects } = taken(WAITING, START, due("watchdog"), due("reopen"))
    expect(opens(effects)).toEqual([{ type: "open", gen: 1, offer: true }])
  })
})

describe("generations", () => {
  test("signals of an earlier one are ignored, those of the present one applied", () => {
    const { link } = taken(OFFERING, START, due("watchdog"), due("reopen"))
    expect(link.gen).toBe(1)
    for (const kind of ["offer", "answer", "candidates"] as const) {
      expect(linkAfter(link, signal(kind, 0)).effects).toEqual([])
      expect(linkAfter(link, signal(kind, 1)).effects).toEqual([{ type: "apply" }])
    }
  })

  test("an offer of a later one replaces the connection; anything else of it is ignored", () => {
    const { link } = taken(OFFERING, START, to("connected"))
    expect(linkAfter(link, signal("answer", 4)).effects).toEqual([])
    const { link: next, effects } = linkAfter(link, signal("offer", 4))
    expect(opens(effects)).toEqual([{ type: "open", gen: 4, offer: false }])
    expect(next).toMatchObject({ gen: 4, state: "connecting" })
  })
})

test("a connection whose negotiation broke is closed and made anew, once", () => {
  const { link, effects } = taken(OFFERING, START, to("connected"), { type: "broken" })
  expect(effects).toContainEqual({ type: "close" })
  expect(timers(effects)).toEqual([["reopen", 1000]])
  expect(linkAfter(link, { type: "broken" }).effects).toEqual([])
})

describe("an interrupted connection", () => {
  const connected = taken(OFFERING, START, to("connected")).link

  test("is restarted after two seconds by the side with the greater id, then every five, three times", () => {
    const broken = linkAfter(connected, to("disconnected"))
    expect([broken.link.state, timers(broken.effects)]).toEqual(["interrupted", [["restart", 2000]]])
    let { link } = broken
    for (let n = 0; n < 3; n++) {
      const restarted = linkAfter(link, due("restart"))
      expect(restarted.effects).toEqual([{ type: "restartIce" }, { type: "timer", timer: "restart", ms: 5000 }])
      link = restarted.link
    }
    const { effects } = linkAfter(link, due("restart"))
    expect(effects).toContainEqual({ type: "close" })
    expect(timers(effects)).toEqual([["reopen", 1000]])
  })

  test("is restarted at once when it failed", () => {
    expect(linkAfter(connected, to("failed")).effects[0]).toEqual({ type: "restartIce" })
    expect(taken(connected, to("disconnected"), to("failed")).effects[0]).toEqual({ type: "restartIce" })
    expect(taken(connected, to("failed"), to("failed")).effects).toEqual([])
  })

  test("that recovers is left alone", () => {
    const { link, effects } = taken(connected, to("disconnected"), to("connected"))
    expect(link).toMatchObject({ state: "connected", restarts: 0 })
    expect(effects).toContainEqual({ type: "cancel", timer: "restart" })
  })

  test("is not restarted by the other side, which begins a new one after all restarts have failed", () => {
    const { link } = taken(WAITING, START, signal("offer"), to("connected"))
    const [[, ms] = []] = timers(linkAfter(link, to("disconnected")).effects)
    expect(Number(ms)).toBeGreaterThan(2000 + 3 * 5000 + 5000)
    expect(taken(link, to("disconnected"), due("restart")).effects).toContainEqual({ type: "close" })
  })
})

test("whatever happens, a link without a connection has a timer that makes one, and generations never go back", () => {
  const event: fc.Arbitrary<LinkEvent> = fc.oneof(
    fc.record({
      type: fc.constant("changed" as const),
      to: fc.constantFrom("connected", "disconnected", "failed", "new"),
    }),
    fc.record({
      type: fc.constant("signal" as const),
      kind: fc.constantFrom("offer" as const, "answer" as const, "candidates" as const),
      gen: fc.integer({ min: 0, max: 5 }),
    }),
    fc.constant({ type: "broken" as const }),
    fc.constant({ type: "due" as const, timer: "watchdog" as const }),
    fc.constant({ type: "due" as const, timer: "restart" as const }),
    fc.constant({ type: "due" as const, timer: "reopen" as const }),
  )
  fc.assert(
    fc.property(fc.boolean(), fc.array(event, { maxLength: 40, size: "max" }), (isOffering, events) => {
      let link = isOffering ? OFFERING : WAITING
      const running = new Set<LinkTimer>()
      const take = (given: LinkEvent): void => {
        const before = link
        const { link: next, effects } = linkAfter(link, given)
        link = next
        if (given.type === "due") running.delete(given.timer)
        for (const effect of effects) {
          if (effect.type === "timer") running.add(effect.timer)
          if (effect.type === "cancel") running.delete(effect.timer)
        }
        expect(link.gen).toBeGreaterThanOrEqual(before.gen)
      }
      take(START)
      for (const given of events) {
        // Only a timer that runs comes due.
        if (given.type === "due" && !running.has(given.timer)) continue
        take(given)
        if (link.state !== "connected") expect(running.size).toBeGreaterThan(0)
      }
    }),
    { numRuns: 500 },
  )
})
