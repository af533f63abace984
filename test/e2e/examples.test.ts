/** The examples, run as their README says, against a real server and the built client. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { GatewayClient } from "../../packages/client/src/gateway-client.ts"
import { createLiveEvent, createPerson, createWorkspace, gatewayToken, type Workspace } from "../support/api.ts"
import { compiledSite } from "../support/compiled.ts"
import { startTestServer, type TestServer } from "../support/server.ts"
import { eventually } from "../support/wait.ts"

type Viewer = any // JavaScript, checked by a project of its own (examples/tsconfig.json)
const { actions, look, watch }: Viewer = await import(new URL("../../examples/viewer.js", import.meta.url).href)

let server: TestServer
let acme: Workspace
let site: string
beforeAll(async () => {
  site = await compiledSite()
  server = await startTestServer()
  acme = await createWorkspace(server.url)
})
afterAll(() => server.stop())

/** An example in a process of its own. */
const run = (name: string, environment: { readonly [key: string]: string }) => {
  const child = spawn(process.execPath, [`examples/${name}`], {
    cwd: site,
    env: { BASE: server.url, KEY: acme.key, ...environment },
    stdio: "pipe",
  })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) createInterface(stream).on("line", (line) => lines.push(line))
  onTestFinished(() => void child.kill())
  const said = async (what: RegExp): Promise<string> => {
    const find = () => lines.find((line) => what.test(line))
    await eventually(() => find() !== undefined || child.exitCode !== null, `${name} saying ${what}`)
    const line = find()
    if (line === undefined) throw new Error(`${name} ended without saying ${what}: ${lines.join("\n")}`)
    return line
  }
  const press = async (prompt: string): Promise<void> => {
    await said(new RegExp(`^press Enter to ${prompt}`))
    child.stdin.write("\n")
  }
  return { lines, said, press, exited: once(child, "exit") }
}

const viewerOf = async (eventId: string) => {
  const client: GatewayClient = watch(server.url, eventId)
  onTestFinished(() => client.close())
  await client.connect()
  const seen = () => {
    const now = look(client)
    if (now.event === null) throw new Error("nothing to see yet")
    return now
  }
  return { client, seen, act: actions(client) }
}

test("the host moderates, polls, opens rooms and ends; viewer and bot take part in all of it", async () => {
  const host = run("host.mjs", {})
  const eventId = (await host.said(/^live: /)).slice("live: ".length)
  const bot = run("bot.mjs", { EVENT: eventId })
  const { client, seen, act } = await viewerOf(eventId)
  expect(seen()).toMatchObject({ event: "Questions and answers", phase: "broadcast", may: { ask: true, chat: false } })
  await act.ask("Does it work?")
  await act.ask("What the darn is that?")
  await eventually(() => seen().questions.length === 1, "the question that was let through")
  await act.vote(seen().questions[0]?.id ?? "", true)
  await eventually(() => seen().questions[0]?.votes === 1 && seen().questions[0]?.isVoted === true, "the vote")
  await host.said(/^hidden/)
  await host.press("answer")
  await eventually(() => seen().poll?.isOpen === true, "the poll")
  await act.choose(seen().poll?.id ?? "", seen().poll?.options[0]?.id ?? "")
  await eventually(() => seen().poll?.options[0]?.votes === 1, "the vote in the poll")
  await bot.said(/^listening/)
  await host.press("close the poll")
  await bot.said(/^now in Room/)
  const closed = new Promise<number>((resolve) => client.on("closed", ({ code }) => resolve(code)))
  await host.press("bring everybody back")
  expect(await host.exited).toEqual([0, null])
  expect(host.lines.filter((line) => !line.startsWith("press Enter"))).toEqual([
    `live: ${eventId}`,
    "approved: Does it work?",
    "hidden: What the darn is that?",
    "answered: Does it work?",
    "poll: Yes 1, No 0",
    expect.stringMatching(/^rooms: Room 1 \([01]\), Room 2 \([01]\)$/),
    "ended",
  ])
  expect([await closed, await bot.said(/^over/)]).toEqual([4307, "over: event ended"])
})

test.each(["meeting", "broadcast"])("the bot posts the time in the chat of a %s", async (modality) => {
  const phases = [{ modality, featureSet: ["chat"], config: { durationSeconds: 600 } }]
  const event = await createLiveEvent(server.url, acme.key, {
    type: modality === "meeting" ? "meeting" : "webinar",
    phases,
  })
  const { session } = await createPerson(server.url, acme.key, event.id, "host")
  const host = new GatewayClient({ token: () => gatewayToken(server.url, event.id, session) })
  onTestFinished(() => host.close())
  await host.connect()
  const bot = run("bot.mjs", { EVENT: event.id })
  await bot.said(/^listening/)
  await eventually(() => host.state?.hands.queue[0]?.note === "I tell the time", "the hand")
  const { d } = await host.command("chat.send", { to: "event", text: "/time" })
  await bot.said(/^told host the time/)
  await eventually(() => host.state?.chat.event.length === 2, "the answer")
  expect(host.state?.chat.event[1]).toMatchObject({
    replyTo: d.message.id,
    text: expect.stringMatching(/^\d+ seconds are left\.$/),
  })
})

describe("the viewer's page", () => {
  test("comes with every module it imports and every element that its script looks for, and with nothing else of the machine", async () => {
    const serve = run("serve.mjs", { PORT: "0" })
    const page = new URL((await serve.said(/^http/)).split("?")[0] ?? "")
    const html = await (await fetch(page)).text()
    const { imports } = JSON.parse(/<script type="importmap">([^<]*)</.exec(html)?.[1] ?? "{}")
    const modules = new Set([new URL(/type="module" src="([^"]+)"/.exec(html)?.[1] ?? "", page).href])
    for (const module of modules) {
      const answer = await fetch(module)
      expect([module, answer.status, answer.headers.get("content-type")]).toEqual([
        module,
        200,
        "text/javascript; charset=utf-8",
      ])
      const imported = (await answer.text()).matchAll(/^(?:import|export)\b[^"]* from "([^"]+)"/gm)
      for (const [, name = ""] of imported) modules.add(new URL(imports[name] ?? name, module).href)
    }
    expect(modules.size).toBe(3)
    for (const path of [
      "/package.json",
      "/examples/host.mjs",
      "/dist/src/main.js",
      "/examples/..%2f..%2fpackage.json",
    ]) {
      expect((await fetch(new URL(path, page))).status).toBe(404)
    }
    const script = await (await fetch(new URL("viewer-page.js", page))).text()
    const wanted = Array.from(script.matchAll(/\b(?:element|write|show|list|onSubmit)\(\s*"([^"]+)"/g), ([, id]) => id)
    expect(wanted.length).toBeGreaterThan(10)
    for (const id of wanted) expect(html).toContain(`id="${id}"`)
  })

  test("draws the time that is left by the server's clock", async () => {
    const phases = [{ modality: "broadcast", config: { durationSeconds: 600 } }]
    const event = await createLiveEvent(server.url, acme.key, { phases })
    const { seen } = await viewerOf(event.id)
    expect(seen().timeLeft).toMatch(/^(?:10:00|9:\d\d)$/)
    expect(seen()).toMatchObject({ watching: expect.any(Number), poll: null, may: { ask: false, react: false } })
  })
})
