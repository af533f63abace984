/** Calls through a TURN server: coturn, with the credentials that the server makes. */
import { createHash, createHmac } from "node:crypto"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { createLiveEvent, createPerson, createWorkspace } from "../test/support/api.ts"
import { startTestServer, type TestServer } from "../test/support/server.ts"
import { REALM, startTurnServer, type TurnServer } from "../test/support/turn-server.ts"
import { eventually } from "../test/support/wait.ts"
import { type Caller, openCaller, peersOf, receivedBy, startMedia, untilConnected } from "./callers.ts"
import { type Pages, startPages } from "./pages.ts"

let turn: TurnServer
let pages: Pages

beforeAll(async () => {
  turn = await startTurnServer()
  pages = await startPages()
})
afterAll(async () => {
  await pages.stop()
  await turn.stop()
})

const open = async (environment: { readonly [key: string]: string }): Promise<TestServer> => {
  const server = await startTestServer({
    ICE_SERVERS: `turn:127.0.0.1:${turn.port}?transport=udp,turn:127.0.0.1:${turn.port}?transport=tcp`,
    TURN_SECRET: turn.secret,
    ...environment,
  })
  onTestFinished(() => server.stop())
  return server
}

/** People of one meeting. */
const meet = async ({ url }: TestServer, names: ReadonlyArray<string>): Promise<ReadonlyArray<Caller>> => {
  const { key } = await createWorkspace(url)
  const { id: eventId } = await createLiveEvent(url, key, { phases: [{ modality: "meeting" }] })
  return Promise.all(
    names.map(async (name) => {
      const { session } = await createPerson(url, key, eventId, "participant", name)
      return openCaller(pages, { url, eventId, session, name })
    }),
  )
}

test("coturn knows every line of the shipped file, and bars the networks that it names", async () => {
  const networks = Array.from((await turn.settings()).matchAll(/^denied-peer-ip=(\S+)-/gm), ([, first = ""]) => first)
  expect(networks).toContain("10.0.0.0")
  expect(turn.log()).not.toMatch(/unknown|bad configuration|bad ip/i)
  for (const first of networks.filter((address) => address.includes("."))) expect(turn.log()).toContain(first)
})

test("under the policy relay no connection is direct, and the relay logs no credential", async () => {
  const callers = await meet(await open({ RTC_POLICY: "relay" }), ["Ann", "Ben"])
  await Promise.all(callers.map((caller) => startMedia(caller)))
  await untilConnected(callers)
  for (const caller of callers) {
    expect((await receivedBy(caller)).map(({ route }) => route)).toEqual(["relay-relay"])
  }
  const log = turn.log()
  const names = new Set(Array.from(log.matchAll(/username=<(\d+:[^>]+)>/g), ([, name = ""]) => name))
  expect(names.size).toBe(callers.length)
  for (const name of names) {
    const password = createHmac("sha1", turn.secret).update(name).digest("base64")
    const key = createHash("md5").update(`${name}:${REALM}:${password}`).digest("hex")
    for (const credential of [password, key]) expect(log.toLowerCase()).not.toContain(credential.toLowerCase())
  }
  expect(log).not.toContain(turn.secret)
})

test("of four people one is reachable only through the relay, and is in the call like the others", async () => {
  const callers = await meet(await open({}), ["Ann", "Ben", "Cat", "Dan"])
  const [walled] = callers
  await walled?.page.evaluate(() => {
    window.isWalled = true
  })
  await Promise.all(callers.map((caller) => startMedia(caller)))
  await untilConnected(callers)
  for (const caller of callers) {
    const routes = async () =>
      (await receivedBy(caller))
        .filter(({ name }) => caller === walled || name !== walled?.name)
        .map(({ route }) => route)
    if (caller === walled) for (const route of await routes()) expect(route).toMatch(/^relay-/)
    // A browser may begin with the relay and changes to the direct connection when its check has succeeded.
    else await eventually(async () => (await routes()).every((route) => !route.includes("relay")), "direct connections")
  }
})

test("when the relay was away for a while, sound and picture come back by themselves", async () => {
  const callers = await meet(await open({ RTC_POLICY: "relay" }), ["Ann", "Ben"])
  await Promise.all(callers.map((caller) => startMedia(caller)))
  await untilConnected(callers)
  await turn.kill()
  const isInterrupted = async (caller: Caller): Promise<boolean> => (await peersOf(caller))[0]?.state !== "connected"
  for (const caller of callers) await eventually(() => isInterrupted(caller), "the interruption")
  await turn.revive()
  await untilConnected(callers)
})
