/** The hooks of the client in React, in StrictMode where it matters, against the real server. */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { GatewayClient } from "../../packages/client/src/entry.ts"
import {
  call,
  createLiveEvent,
  createPerson,
  createWorkspace,
  gatewayToken,
  type Workspace,
} from "../../test/support/api.ts"
import { freePort } from "../../test/support/free-port.ts"
import { startTestServer, type TestServer } from "../../test/support/server.ts"
import { eventually } from "../../test/support/wait.ts"
import { type ReactPages, startReactPages } from "./react-pages.ts"

let server: TestServer
let pages: ReactPages
let acme: Workspace
beforeAll(async () => {
  server = await startTestServer()
  acme = await createWorkspace(server.url)
  pages = await startReactPages()
})
afterAll(async () => {
  await pages.stop()
  await server.stop()
})

const liveEvent = (...phases: ReadonlyArray<object>): Promise<{ id: string; activePhaseId: string }> =>
  createLiveEvent(server.url, acme.key, {
    phases: phases.length > 0 ? phases : [{ modality: "broadcast", featureSet: ["chat", "qa"] }],
  })

const hostOf = async (eventId: string): Promise<GatewayClient> => {
  const { session } = await createPerson(server.url, acme.key, eventId, "host")
  const client = new GatewayClient({ token: () => gatewayToken(server.url, eventId, session) })
  onTestFinished(() => client.close())
  await client.connect()
  return client
}

/** A client of the page's that is connected, for the hooks that take one. */
const connectIn = async (page: Page, eventId: string): Promise<void> => {
  const { session } = await createPerson(server.url, acme.key, eventId, "participant", "Ann")
  await page.evaluate(
    async ([base, event, bearer]) => {
      window.live = new window.kit.GatewayClient({ token: window.kit.tokens(base, event, bearer) })
      await window.live.connect()
    },
    [server.url, eventId, session] as const,
  )
}

const seenIn = (page: Page): Promise<unknown[]> => page.evaluate(() => window.probe.seen)
const lastIn = async (page: Page): Promise<unknown> => (await seenIn(page)).at(-1)
const statusesIn = (page: Page) =>
  page.evaluate(() => window.probe.seen.map((seen) => (seen as { readonly status: string }).status))

const mountGateway = ([base, event]: readonly [string, string]): void => {
  const { probe, tokens, useConnection, useGateway } = window.kit
  const use = () => {
    window.live = useGateway({ key: event, token: tokens(base, event), backoff: { firstMs: 50, longestMs: 200 } })
    const { status, error } = useConnection(window.live)
    return { status, error: error === null ? null : String(error) }
  }
  window.probe = probe(use, true)
}

describe("useGateway", () => {
  test("a component in StrictMode has one connection, asks for one token, and leaves the event when it is unmounted", async () => {
    const event = await liveEvent()
    const host = await hostOf(event.id)
    const page = await pages.open()
    const asked: string[] = []
    page.on("request", (request) => {
      if (request.method() === "POST") asked.push(new URL(request.url()).pathname)
    })
    await page.evaluate(mountGateway, [server.url, event.id] as const)
    await page.waitForFunction(() => window.live.status === "ready")
    await eventually(() => host.state?.presence.total === 2, "the viewer being counted")
    expect(asked).toEqual(["/v1/auth/gateway-token"])
    expect(await page.evaluate(() => window.sockets.length)).toBe(1)
    await page.evaluate(() => window.probe.unmount())
    await eventually(() => host.state?.presence.total === 1, "the viewer being gone")
    expect(await page.evaluate(() => [window.live.status, window.sockets.length])).toEqual(["closed", 1])
    expect(await statusesIn(page)).toEqual(["idle", "idle", "connecting", "ready"])
  })

  test("another key makes a client of another event and leaves the one before", async () => {
    const [first, second] = [await liveEvent(), await liveEvent()]
    const host = await hostOf(first.id)
    const page = await pages.open()
    await page.evaluate(
      ([base, one, other]) => {
        const { probe, tokens, useEvent, useGateway } = window.kit
        const chosen = { event: one }
        const use = () => {
          window.live = useGateway({ key: chosen.event, token: tokens(base, chosen.event) })
          return useEvent(window.live, (state) => state.event.id)
        }
        window.probe = probe(use, true)
        addEventListener("hashchange", () => {
          chosen.event = other
          window.probe.render()
        })
      },
      [server.url, first.id, second.id] as const,
    )
    await eventually(async () => (await lastIn(page)) === first.id, "the first event")
    await eventually(() => host.state?.presence.total === 2, "the viewer being counted")
    await page.evaluate(() => {
      location.hash = "#second"
    })
    await eventually(async () => (await lastIn(page)) === second.id, "the second event")
    await eventually(() => host.state?.presence.total === 1, "the viewer having left the first event")
    expect(await page.evaluate(() => window.sockets.map((socket) => socket.readyState === WebSocket.OPEN))).toEqual([
      false,
      true,
    ])
  })

  test("a token is asked for by the function of the newest render", async () => {
    const event = await liveEvent()
    const page = await pages.open(/404/)
    await page.evaluate(
      ([base, id]) => {
        const { probe, tokens, useConnection, useGateway } = window.kit
        const known = { event: "00000000-0000-7000-8000-000000000000" }
        const use = () => {
          window.live = useGateway({ key: "same", token: tokens(base, known.event) })
          return useConnection(window.live)
        }
        window.probe = probe(use, true)
        addEventListener("hashchange", () => {
          known.event = id
          window.probe.render()
        })
      },
      [server.url, event.id] as const,
    )
    await page.waitForFunction(() => window.live.status === "closed")
    const before = (await seenIn(page)).length
    await page.evaluate(() => {
      location.hash = "#known"
    })
    await eventually(async () => (await seenIn(page)).length > before, "the next render")
    expect(await page.evaluate(async () => (await window.live.connect()).event.id)).toBe(event.id)
    await eventually(async () => (await statusesIn(page)).at(-1) === "ready", "ready")
    expect(await lastIn(page)).toEqual({ status: "ready", error: null, retryInMs: null })
  })
})

describe("useConnection", () => {
  test("tells the refusal of a token, and that no other try follows", async () => {
    const page = await pages.open(/404/)
    await page.evaluate(mountGateway, [server.url, "00000000-0000-7000-8000-000000000000"] as const)
    await page.waitForFunction(() => window.live.status === "closed")
    const late = await page.evaluate(() => {
      // A component that comes after the end.
      window.probe = window.kit.probe(() => {
        const { status, error, retryInMs } = window.kit.useConnection(window.live)
        return { status, retryInMs, code: error instanceof window.kit.RestProblem ? error.code : null }
      })
      return window.probe.seen
    })
    expect(late).toBeDefined()
    await eventually(async () => (await lastIn(page)) !== undefined, "a render")
    expect(await lastIn(page)).toEqual({ status: "closed", retryInMs: null, code: "not_found" })
  })

  test("tells failed tries and the wait before the next one, and forgets them when it is connected", async () => {
    const event = await liveEvent()
    const page = await pages.open(/ERR_CONNECTION_REFUSED/)
    const nobody = `http://127.0.0.1:${await freePort()}`
    await page.evaluate(
      ([base, gone, id]) => {
        const { probe, tokens, useConnection, useGateway } = window.kit
        const place = { base: gone }
        addEventListener("hashchange", () => {
          place.base = base
        })
        const use = () => {
          const token = () => tokens(place.base, id)()
          window.live = useGateway({ key: id, token, backoff: { firstMs: 20, longestMs: 50 } })
          const { status, error, retryInMs } = useConnection(window.live)
          return { status, failed: error instanceof TypeError, waits: retryInMs !== null }
        }
        window.probe = probe(use, true)
      },
      [server.url, nobody, event.id] as const,
    )
    const failed = { status: "waiting", failed: true, waits: true }
    await eventually(async () => JSON.stringify(await seenIn(page)).includes(JSON.stringify(failed)), "a failed try")
    await page.evaluate(() => {
      location.hash = "#there"
    })
    await page.waitForFunction(() => window.live.status === "ready")
    expect(await lastIn(page)).toEqual({ status: "ready", failed: false, waits: false })
  })

  test("tells why the server ended the connection", async () => {
    const event = await liveEvent()
    const page = await pages.open()
    await page.evaluate(mountGateway, [server.url, event.id] as const)
    await page.waitForFunction(() => window.live.status === "ready")
    await call(server.url, "POST", `/v1/events/${event.id}/end`, { key: acme.key })
    await page.waitForFunction(() => window.live.status === "closed")
    expect(await lastIn(page)).toEqual({
      status: "closed",
      error: "ConnectionClosed: the connection has ended: 4307 event ended",
    })
  })
})

describe("useEvent", () => {
  test("renders only when the selected part changes, also by a selector that makes a new array each time", async () => {
    const event = await liveEvent(
      { modality: "broadcast", featureSet: ["chat", "qa"] },
      { modality: "meeting", featureSet: ["chat"] },
    )
    const page = await pages.open()
    await connectIn(page, event.id)
    await page.evaluate(() => {
      const { probe, useEvent } = window.kit
      const use = () => useEvent(window.live, ({ phases }) => phases.map(({ status }) => status))
      window.probe = probe(use)
    })
    const host = await hostOf(event.id)
    await host.command("chat.send", { to: "event", text: "first" })
    await page.waitForFunction(() => window.live.state?.chat.event.length === 1)
    await host.command("phase.next", {})
    await eventually(async () => (await seenIn(page)).length === 2, "the second render")
    await host.command("chat.send", { to: "event", text: "second" })
    await page.waitForFunction(() => window.live.state?.chat.event.length === 2)
    expect(await seenIn(page)).toEqual([
      ["active", "pending"],
      ["ended", "active"],
    ])
  })

  test("is undefined before the first connection, and the whole state without a selector", async () => {
    const event = await liveEvent()
    const page = await pages.open()
    await page.evaluate(
      ([base, id]) => {
        const { probe, tokens, useEvent, useGateway } = window.kit
        window.probe = probe(() => {
          window.live = useGateway({ key: id, token: tokens(base, id) })
          return useEvent(window.live)?.event.title ?? null
        })
      },
      [server.url, event.id] as const,
    )
    await eventually(async () => (await lastIn(page)) === "Launch", "the title")
    expect((await seenIn(page))[0]).toBe(null)
  })

  test("compares by the function that it is given", async () => {
    const event = await liveEvent()
    const page = await pages.open()
    await connectIn(page, event.id)
    await page.evaluate(() => {
      const { probe, useEvent } = window.kit
      const texts = () =>
        useEvent(
          window.live,
          ({ chat }) => chat.event.map(({ text }) => text),
          (a, b) => a[0] === b[0],
        )
      window.probe = probe(texts)
    })
    const host = await hostOf(event.id)
    await host.command("chat.send", { to: "event", text: "first" })
    await eventually(async () => (await seenIn(page)).length === 2, "the first message")
    await host.command("chat.send", { to: "event", text: "second" })
    await page.waitForFunction(() => window.live.state?.chat.event.length === 2)
    expect(await seenIn(page)).toEqual([[], ["first"]])
  })
})

describe("useCommand", () => {
  const mountSender = (page: Page) =>
    page.evaluate(() => {
      const { CommandRefused, probe, useCommand } = window.kit
      window.probe = probe(() => {
        window.sender = useCommand(window.live)
        const { isPending, error } = window.sender
        return { isPending, code: error instanceof CommandRefused ? error.code : null }
      }, true)
    })

  test("tells that a command waits, resolves with its reply, and tells why it was refused", async () => {
    const event = await liveEvent()
    const page = await pages.open()
    await connectIn(page, event.id)
    await mountSender(page)
    await page.waitForFunction(() => window.sender !== undefined)
    const reply = await page.evaluate(() => window.sender.send("chat.send", { to: "event", text: "hello" }))
    expect(reply?.d.message.text).toBe("hello")
    expect(await page.evaluate(() => window.sender.send("announce", { text: "no host" }))).toBe(undefined)
    await eventually(async () => (await seenIn(page)).length === 6, "the last render")
    const idle = { isPending: false, code: null }
    const waits = { isPending: true, code: null }
    expect(await seenIn(page)).toEqual([idle, idle, waits, idle, waits, { isPending: false, code: "forbidden" }])
    await page.evaluate(() => window.sender.reset())
    await eventually(async () => (await seenIn(page)).length === 7, "the render after reset")
    expect(await lastIn(page)).toEqual(idle)
  })

  test("shows the error of the newest command alone", async () => {
    const event = await liveEvent()
    const page = await pages.open()
    await connectIn(page, event.id)
    await mountSender(page)
    await page.waitForFunction(() => window.sender !== undefined)
    await page.evaluate(() =>
      Promise.all([
        window.sender.send("announce", { text: "no host" }),
        window.sender.send("chat.send", { to: "event", text: "hello" }),
      ]),
    )
    await eventually(async () => JSON.stringify(await lastIn(page)).includes('"isPending":false'), "both answers")
    expect(await lastIn(page)).toEqual({ isPending: false, code: null })
  })
})

describe("useDispatch", () => {
  test("calls the listener of the newest render with each announcement, and none after the component is gone", async () => {
    const event = await liveEvent()
    const host = await hostOf(event.id)
    const page = await pages.open()
    await connectIn(page, event.id)
    await page.evaluate(() => {
      const { probe, useDispatch } = window.kit
      const renders = { n: 0 }
      window.heard = []
      window.probe = probe(() => {
        renders.n++
        const { n } = renders
        useDispatch(window.live, "announcement", ({ text }) => window.heard.push(`${text} ${n}`))
      })
    })
    const renderedTimes = (n: number) => eventually(async () => (await seenIn(page)).length === n, `render ${n}`)
    const heard = () => page.evaluate(() => window.heard)
    await renderedTimes(1)
    await host.command("announce", { text: "one" })
    await eventually(async () => (await heard()).length === 1, "the first announcement")
    await page.evaluate(() => window.probe.render())
    await renderedTimes(2)
    await host.command("announce", { text: "two" })
    await eventually(async () => (await heard()).length === 2, "the second announcement")
    await page.evaluate(() => {
      window.probe.unmount()
      window.live.on("announcement", ({ text }) => {
        document.title = text
      })
    })
    await host.command("announce", { text: "three" })
    await page.waitForFunction(() => document.title === "three")
    expect(await heard()).toEqual(["one 1", "two 2"])
  })
})

describe("useCountdown", () => {
  const mountCountdown = (page: Page) =>
    page.evaluate(() => {
      const { probe, useCountdown, useEvent } = window.kit
      const use = () => {
        const timer = useEvent(window.live, ({ timers }) => timers.find(({ scope }) => scope === "phase"))
        return useCountdown(window.live, timer)
      }
      window.probe = probe(use)
    })

  test("counts whole seconds down by the server's clock, one render for each, and follows an extension", async () => {
    const event = await liveEvent({ modality: "broadcast", config: { durationSeconds: 600 } })
    const page = await pages.open()
    // The machine of the page is two minutes slow.
    await page.evaluate(() => {
      const real = Date.now
      Date.now = () => real() - 120_000
    })
    await connectIn(page, event.id)
    await page.waitForFunction(() => window.live.clock.samples > 0)
    await mountCountdown(page)
    await eventually(async () => (await seenIn(page)).length >= 3, "two seconds")
    const [first = 0, second, third] = (await seenIn(page)) as number[]
    expect(first).toBeGreaterThan(500)
    expect(first).toBeLessThanOrEqual(600)
    expect([second, third]).toEqual([first - 1, first - 2])
    const host = await hostOf(event.id)
    await host.command("timer.extend", { timerId: event.activePhaseId, seconds: 300 })
    await eventually(async () => Number(await lastIn(page)) > 700, "the extension")
  })

  test("is null without a timer, and 0 without further renders when the time is over", async () => {
    const event = await liveEvent({ modality: "broadcast" })
    const page = await pages.open()
    await connectIn(page, event.id)
    await mountCountdown(page)
    await eventually(async () => (await seenIn(page)).length === 1, "a render")
    expect(await lastIn(page)).toBe(null)
    await page.evaluate(() => {
      const endsAt = new Date(window.live.clock.now() + 900).toISOString()
      const timer = {
        id: "a",
        scope: "poll",
        ref: "a",
        state: "running",
        startedAt: endsAt,
        endsAt,
        extendedMs: 0,
        rev: 1,
      } as const
      window.probe = window.kit.probe(() => window.kit.useCountdown(window.live, timer))
    })
    await eventually(async () => (await lastIn(page)) === 0, "the end")
    expect(await seenIn(page)).toEqual([1, 0])
  })

  test("is 0 also where the end comes while the hook looks at the clock", async () => {
    const page = await pages.open()
    await page.evaluate(() => {
      window.left = [200]
      const clock = { remaining: () => (window.left.length > 1 ? window.left.shift() : window.left[0]) }
      const timer = { id: "a", state: "running" }
      const use = () => window.kit.useCountdown({ clock } as never, timer as never)
      window.probe = window.kit.probe(use)
    })
    await eventually(async () => (await seenIn(page)).length === 1, "a render")
    await page.evaluate(() => {
      window.left = [0.4, 0]
    })
    await eventually(async () => (await lastIn(page)) === 0, "the end")
  })
})
