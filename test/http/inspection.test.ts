/** The operator's view of a live event's chart: by REST, by the command, and in an inspector. */
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { WebSocketServer } from "ws"
import { call, createEvent, createLiveEvent, createWorkspace, type Json } from "../support/api.ts"
import { PLATFORM_KEY, SECRET_KEY, startTestServer } from "../support/server.ts"
import { runCommand } from "../support/server-process.ts"
import { sharedServer } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()

const inspect = (id: string) =>
  call(server.url, "GET", `/v1/platform/events/${id}/inspection`, { headers: { "x-platform-key": PLATFORM_KEY } })

const timedEvent = async (): Promise<{ readonly key: string; readonly event: Json }> => {
  const { key } = await createWorkspace(server.url)
  const event = await createLiveEvent(server.url, key, {
    phases: [{ modality: "meeting", config: { durationSeconds: 600 } }, { modality: "broadcast" }],
  })
  return { key, event }
}

/** The states of a live event in a meeting's first phase without rooms, rotation, capture and hosts. */
const AT_REST = ["live.door.open", "live.presence.list", "live.rooms.closed", "live.rotation.idle", "live.capture.off"]

test("states, deadlines and transitions follow the event, and name the node", async () => {
  const { key, event } = await timedEvent()
  const first = await inspect(event.id)
  expect(first.status).toBe(200)
  expect(first.body.states).toEqual(expect.arrayContaining([...AT_REST, "live.phase.running", "live.broadcast.off"]))
  const endsAt = (await call(server.url, "GET", `/v1/events/${event.id}`, { key })).body.phases[0].timerEndsAt
  expect(first.body.deadlines).toContainEqual({ name: "phase.end", about: null, at: endsAt })
  const warnsAt = new Date(Date.parse(endsAt) - 60_000).toISOString()
  expect(first.body.deadlines[0]).toEqual({ name: "phase.warning", about: null, at: warnsAt })
  expect(first.body.transitions.at(-1)).toMatchObject({ event: expect.any(String), entered: expect.any(Array) })
  await call(server.url, "POST", `/v1/events/${event.id}/advance`, { key })
  const second = await inspect(event.id)
  expect(second.body.states).toEqual(
    expect.arrayContaining(["live.phase.untimed", "live.door.none", "live.broadcast.idle"]),
  )
  expect(second.body.deadlines.filter(({ name }: Json) => name.startsWith("phase."))).toEqual([])
  const last = second.body.transitions.map(({ event: cause, entered }: Json) => [cause, entered])
  expect(last).toContainEqual(["phase.next", ["live.phase.untimed"]])
  expect(last).toContainEqual(["phase.began", ["live.door.none", "live.broadcast.idle"]])
  expect(second.body.version).toBeGreaterThan(first.body.version)
  expect(second.body.ownedSince).toBe(first.body.ownedSince)
})

test("no more than the last twenty transitions are remembered", async () => {
  const { key, event } = await timedEvent()
  const move = async (lobby: string): Promise<void> => {
    const [phase] = (await call(server.url, "GET", `/v1/events/${event.id}`, { key })).body.phases
    const answer = await call(server.url, "PATCH", `/v1/phases/${phase.id}`, {
      key,
      body: { config: { ...phase.config, lobby } },
    })
    expect(answer.status).toBe(200)
  }
  for (let round = 0; round < 12; round++) {
    await move("ask")
    await move("open")
  }
  const { transitions } = (await inspect(event.id)).body
  expect(transitions).toHaveLength(20)
  expect(transitions.map(({ entered }: Json) => entered)).toEqual(
    Array.from({ length: 20 }, (_, index) => [index % 2 === 0 ? "live.door.ask" : "live.door.open"]),
  )
})

test("an event that is not live has its life alone, and one that is not there is not found", async () => {
  const { key } = await createWorkspace(server.url)
  const draft = await createEvent(server.url, key)
  expect((await inspect(draft.id)).body).toMatchObject({ states: ["draft"], deadlines: [], transitions: [], polls: [] })
  for (const id of ["0196a1f0-0000-7000-8000-00000000dead", "nothing"]) {
    const answer = await inspect(id)
    expect([answer.status, answer.body.code]).toEqual([404, "not_found"])
  }
})

test("the command prints the same for a person and for a program, and says why it cannot", async () => {
  const { event } = await timedEvent()
  const environment = { PORT: new URL(server.url).port, PLATFORM_KEY, SECRET_KEY }
  const text = await runCommand(["inspect", event.id], environment)
  expect(text.code).toBe(0)
  expect(text.stdout).toMatch(/^Event .* at node \S+ since \S+, version \d+, fencing token \d+\n/)
  expect(text.stdout).toContain("\n  live.phase.running\n")
  expect(text.stdout).toMatch(/Waits for\n {2}\S+ \(in (?:5[0-9][0-9]|[1-4][0-9]{2}) s\) {2}phase\.warning\n/)
  const json = await runCommand(["inspect", event.id, "--json"], environment)
  expect(JSON.parse(json.stdout).states).toContain("live.phase.running")
  const refused = async (args: ReadonlyArray<string>, changed: Record<string, string>) => {
    const { code, stderr } = await runCommand(args, { ...environment, ...changed })
    expect(code).toBe(1)
    return stderr
  }
  const wrong = await refused(["inspect", event.id], { PLATFORM_KEY: "another-key-of-the-tests-0123456789" })
  expect(wrong).toMatch(/^The server at \S+ refused: /)
  expect(await refused(["inspect", "0196a1f0-0000-7000-8000-00000000dead"], {})).toMatch(/refused: .*event/i)
  expect(await refused(["inspect", event.id], { PORT: "9" })).toMatch(/cannot be reached/)
  expect(await refused(["inspect", event.id], { PLATFORM_KEY: "" })).toMatch(/^PLATFORM_KEY must be set/)
  expect(await refused(["inspect", event.id], { PORT: "0" })).toMatch(/^With PORT 0 nobody knows/)
  expect(await refused(["inspect"], {})).toMatch(/needs the id of an event/)
})

test("with INSPECT an inspector's relay is shown each actor and its transitions", async () => {
  const relay = new WebSocketServer({ host: "127.0.0.1", port: 0 })
  onTestFinished(() => relay.close())
  const shown: Json[] = []
  relay.on("connection", (socket) => socket.on("message", (data) => shown.push(JSON.parse(String(data)))))
  if (relay.address() === null) await once(relay, "listening")
  const watched = await startTestServer({ INSPECT: `ws://127.0.0.1:${(relay.address() as AddressInfo).port}` })
  onTestFinished(() => watched.stop())
  const { key } = await createWorkspace(watched.url)
  const event = await createLiveEvent(watched.url, key, { phases: [{ modality: "meeting" }, { modality: "meeting" }] })
  await call(watched.url, "POST", `/v1/events/${event.id}/end`, { key })
  const of = (type: string): Json[] => shown.filter((one) => one.type === `@xstate.${type}`)
  await eventually(() => of("snapshot").some(({ snapshot }) => snapshot.value === "ended"), "the end to be shown")
  const actor = of("actor").find(({ name }) => name === event.id)
  expect(JSON.parse(actor?.definition)).toMatchObject({ id: "liveEvent", states: { live: { type: "parallel" } } })
  expect(of("event").map(({ event: { type } }) => type)).toContain("event.start")
  expect(JSON.stringify(shown)).not.toContain("turn")
})
