/** Small rules of answers: retirements, cells of files, the order of files and the bytes of viewers. */

import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { pino } from "pino"
import { expect, test } from "vitest"
import { LiveEvents } from "../../src/actors/live-events.ts"
import { announceRoles } from "../../src/http/handlers/workspaces/grant-changes.ts"
import { FileOrder } from "../../src/http/media/broadcasts/file-order.ts"
import { type Stretch, ViewerBytes } from "../../src/http/media/broadcasts/viewer-bytes.ts"
import { CsvWriter } from "../../src/http/requests/csv.ts"
import { deprecationHeaders } from "../../src/http/transport/deprecation.ts"
import { Problems } from "../../src/http/transport/problem.ts"
import { type GrantChange, GrantChanges } from "../../src/identity/grant-changes.ts"
import { NotFound, Unavailable } from "../../src/model/errors.ts"
import { Telemetry } from "../../src/telemetry/telemetry.ts"
import { openVirtualTime } from "../support/virtual-time.ts"

test("a retirement is in the header fields of RFC 9745 and RFC 8594", () => {
  const retirement = {
    since: "2030-01-01T00:00:00Z",
    until: "2031-06-01T00:00:00Z",
    insteadUrl: "https://api.gathercue.dev/v1/docs#getEvent",
  }
  expect(deprecationHeaders(retirement)).toEqual([
    ["deprecation", "@1893456000"],
    ["sunset", "Sun, 01 Jun 2031 00:00:00 GMT"],
    ["link", '<https://api.gathercue.dev/v1/docs#getEvent>; rel="deprecation"'],
  ])
})

test.each([
  ["Ada", "Ada"],
  ["=1+1", "'=1+1"],
  [`;=HYPERLINK("https://evil.example")`, `";=HYPERLINK(""https://evil.example"")"`],
  ["Ada; Bob", `"Ada; Bob"`],
  ["Ada\t=1+1", `"Ada\t=1+1"`],
  ["-1", "'-1"],
])("%j is written as %j", (name, cell) => {
  const csv = new CsvWriter<string>({ names: ["name"], rowsOf: (item) => [[item]] })
  csv.add([name])
  expect(csv.text()).toBe(`\u{feff}name\r\n${cell}\r\n`)
})

const openOrder = async () => {
  const time = await openVirtualTime()
  const order = new FileOrder(time.timers)
  const taken: string[] = []
  /** As a body does: the file leaves once it was taken. */
  const begin = (name: string, address = "a") => {
    const { take, leave } = order.enter(address)
    const finish = (): void =>
      take(() => {
        taken.push(name)
        leave()
      })
    return { finish, leave }
  }
  return { time, taken, begin }
}

test("files are taken in the order in which they began, and those of another address do not wait", async () => {
  const { time, taken, begin } = await openOrder()
  const [first, second, third] = [begin("1"), begin("2"), begin("3")]
  const other = begin("other", "b")
  third.finish()
  second.finish()
  await time.pass(4999)
  expect(taken).toEqual([])
  other.finish()
  expect(taken).toEqual(["other"])
  first.finish()
  expect(taken).toEqual(["other", "1", "2", "3"])
  await time.pass(10_000)
  expect(taken).toEqual(["other", "1", "2", "3"])
})

test("a file that is not coming holds nobody", async () => {
  const { taken, begin } = await openOrder()
  const [first, second] = [begin("1"), begin("2")]
  second.finish()
  first.leave()
  first.leave()
  expect(taken).toEqual(["2"])
})

test("a file that never ends holds the next ones for five seconds once, and is taken when it ends after all", async () => {
  const { time, taken, begin } = await openOrder()
  const [first, second, third] = [begin("1"), begin("2"), begin("3")]
  second.finish()
  await time.pass(4999)
  expect(taken).toEqual([])
  await time.pass(1)
  expect(taken).toEqual(["2"])
  third.finish()
  first.finish()
  expect(taken).toEqual(["2", "3", "1"])
})

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

const WHO = { eventId: "an event", userId: "a user" }

/** The log lines and announcements while the live event gives this answer for three minutes. */
const announcing = async (failure: Unavailable | NotFound) => {
  const lines: unknown[] = []
  const published: GrantChange[] = []
  let asked = 0
  const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const services = Layer.mergeAll(
    TestClock.layer(),
    Layer.succeed(Telemetry, Telemetry.make(log)),
    Layer.mock(LiveEvents, {
      execute: () =>
        Effect.suspend(() => {
          asked++
          return Effect.fail(failure)
        }),
      onForgotten: () => () => {},
    }),
    Layer.succeed(GrantChanges, {
      publish: (change) => published.push(change),
      subscribe: () => () => {},
      settled: () => Promise.resolve(),
      addGateway: () => () => {},
    }),
  )
  await Effect.runPromise(
    Effect.gen(function* () {
      const answering = yield* Effect.forkChild(announceRoles([WHO]))
      yield* TestClock.adjust("1 second")
      // The caller has been answered by now.
      yield* Fiber.await(answering)
      yield* TestClock.adjust("3 minutes")
    }).pipe(Effect.provide(services)),
  )
  return { lines, published, asked }
}

test("a live event that cannot be reached for two minutes is logged as an error, with the user; the sockets are checked", async () => {
  const { lines, published, asked } = await announcing(new Unavailable({ detail: "full", retryAfterSeconds: 1 }))
  expect(lines).toEqual([expect.objectContaining({ level: 50, ...WHO })])
  expect([published, asked]).toEqual([[WHO, WHO], 121])
})

test("an absent event is sent no change", async () => {
  const { lines, published, asked } = await announcing(NotFound.of("event"))
  expect([lines, published, asked]).toEqual([[], [WHO], 1])
})
