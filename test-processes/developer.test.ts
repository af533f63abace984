/** The developer's commands as processes, against a server: an event is made and driven, and webhooks reach a program. */
import { execFile, spawn } from "node:child_process"
import { createHmac } from "node:crypto"
import { once } from "node:events"
import { readFile, stat, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, onTestFinished, test } from "vitest"
import { call, createWorkspace } from "../test/support/api.ts"
import { compiled } from "../test/support/compiled.ts"
import { startReceiver } from "../test/support/http-receiver.ts"
import { runCommand } from "../test/support/server-process.ts"
import { sharedServer, sharedWorkspace } from "../test/support/shared.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"

const server = sharedServer()
const workspace = sharedWorkspace(server)

const login = async (url = server.url) => ({
  GATHERCUE_URL: url,
  GATHERCUE_KEY: workspace.key,
  HOME: await temporaryFolder(),
})

/** A road to the server that can be cut; it goes to the same address before and after. */
const road = async () => {
  const sockets = new Set<Socket>()
  let isCut = false
  let held: (() => void) | undefined
  const { hostname, port } = new URL(server.url)
  const listener = createTcpServer((client) => {
    if (isCut) return void client.destroy()
    const onward = connect(Number(port), hostname)
    for (const socket of [client, onward]) {
      sockets.add(socket)
      socket.on("error", () => {}).on("close", () => [client, onward].map((one) => one.destroy()))
    }
    if (held !== undefined) return held()
    client.pipe(onward).pipe(client)
  }).listen(0, "127.0.0.1")
  await once(listener, "listening")
  onTestFinished(() => void listener.close())
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    cut: () => {
      isCut = true
      for (const socket of sockets) socket.destroy()
    },
    mend: () => (isCut = false),
    /** Further connections get no answer. Resolves at the first. */
    hold: () =>
      new Promise<void>((resolve) => {
        held = resolve
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** Starts a command whose input and output the test has. */
const started = async (args: ReadonlyArray<string>, environment: { readonly [key: string]: string }) => {
  const child = spawn(process.execPath, [await compiled("src/main.ts"), ...args], {
    env: environment,
    stdio: ["pipe", "pipe", "pipe"],
  })
  const ended = once(child, "exit")
  onTestFinished(async () => {
    child.kill("SIGKILL")
    await ended
  })
  const said = { stdout: "", stderr: "" }
  child.stdout.on("data", (chunk: Buffer) => (said.stdout += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (said.stderr += chunk.toString()))
  return { child, said, ended: ended.then(([code]) => code as number | null) }
}

test("a login keeps a key that works for its server, for the user alone, and a logout forgets it", async () => {
  const HOME = await temporaryFolder()
  const { key } = await createWorkspace(server.url)
  const run = (...args: ReadonlyArray<string>) => runCommand(args, { HOME })
  expect(await run("events", "list", "--url", server.url)).toMatchObject({
    code: 1,
    stderr: `There is no key for ${server.url}: gathercue login, or GATHERCUE_KEY.\n`,
  })
  const wrong = await started(["login", "--url", server.url], { HOME })
  wrong.child.stdin.end("gck_wrong\n")
  expect(await wrong.ended).toBe(1)
  const broken = await started(["login", "--url", server.url], { HOME })
  broken.child.stdin.end("gck_\u0001secret\n")
  expect([await broken.ended, broken.said.stderr]).toEqual([1, "The key has characters that no key has.\n"])
  for (const url of ["http://example.com", "https://ada:secret@example.com", "https://example.com/?x=1"]) {
    const refused = await run("events", "list", "--url", url)
    expect([refused.code, refused.stdout, refused.stderr.includes("secret")]).toEqual([1, "", false])
  }
  const right = await started(["login", "--url", `${server.url}/`], { HOME })
  right.child.stdin.end(`${key}\n`)
  expect(await right.ended).toBe(0)
  const file = join(HOME, ".config", "gathercue", "login.json")
  expect(right.said.stdout).toBe(`The key works and is kept in ${file}.\n`)
  expect(right.said.stderr).not.toContain(key)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ url: server.url, key })
  expect(await run("events", "list")).toMatchObject({ code: 0, stdout: "There are no events.\n" })
  // The key goes to no other server, and one of the environment not to the server of the login.
  expect(await run("events", "list", "--url", "http://127.0.0.1:1")).toMatchObject({
    code: 1,
    stderr: "There is no key for http://127.0.0.1:1: gathercue login, or GATHERCUE_KEY.\n",
  })
  const other = await runCommand(["events", "list"], { HOME, GATHERCUE_KEY: "gck_of_another" })
  expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining("http://localhost:8080 gave no answer") })
  expect((await run("logout")).code).toBe(0)
  expect((await run("events", "list", "--url", server.url)).code).toBe(1)
})

test("an event is made, published, begun, advanced and ended, and refusals say why", async () => {
  const environment = await login()
  const run = (...args: ReadonlyArray<string>) => runCommand(args, environment)
  const phases = ["--phase", "broadcast:600", "--phase", "meeting"]
  const where = ["--time-zone", "Europe/Berlin", "--language", "de"]
  const when = ["--at", "2027-03-01T17:00:00Z"]
  const made = await run("events", "create", "--title", "Launch", ...when, ...where, ...phases, "--json")
  const event = JSON.parse(made.stdout)
  expect(event).toMatchObject({ title: "Launch", type: "webinar", status: "draft" })
  const stored = await call(server.url, "GET", `/v1/events/${event.id}`, { key: workspace.key })
  expect(stored.body).toMatchObject({ timeZone: "Europe/Berlin", language: "de" })
  expect(stored.body.phases).toMatchObject([
    { modality: "broadcast", config: { durationSeconds: 600 } },
    { modality: "meeting" },
  ])
  const line = (status: string) => `${event.id}  ${status.padEnd(9)}  2027-03-01T17:00:00.000Z  Launch\n`
  expect(await run("events", "start", event.id)).toMatchObject({ code: 1, stdout: "" })
  expect(await run("events", "publish", event.id)).toEqual({ code: 0, stdout: line("scheduled"), stderr: "" })
  expect((await run("events", "start", event.id)).stdout).toBe(`${line("live")}Phase 1 of 2: broadcast\n`)
  expect((await run("events", "next", event.id)).stdout).toBe(`${line("live")}Phase 2 of 2: meeting\n`)
  const newer = JSON.parse((await run("events", "create", "--title", "Newer", "--json")).stdout)
  for (const filter of [
    ["--status", "live"],
    ["--q", "LAUNCH"],
    ["--from", "2027-03-01T17:00:00Z"],
  ]) {
    expect((await run("events", "list", "--type", "webinar", ...filter)).stdout).toBe(line("live"))
  }
  const firstPage = await run("events", "list", "--limit", "1")
  expect(firstPage).toMatchObject({ stderr: "There are more: use --after, or a filter such as --status.\n" })
  expect(firstPage.stdout).toContain(newer.id)
  const { nextCursor } = JSON.parse((await run("events", "list", "--limit", "1", "--json")).stdout)
  expect((await run("events", "list", "--limit", "1", "--after", nextCursor)).stdout).toBe(line("live"))
  expect((await run("events", "end", event.id)).stdout).toBe(line("ended"))
  const copied = await run("events", "clone", event.id, "--title", "Again", "--scheduled-at", "2027-09-01T17:00:00Z")
  expect(copied).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/ {2}draft {6}2027-09-01T17:00:00.000Z {2}Again\n$/),
  })
  expect(JSON.parse((await run("events", "clone", event.id, "--json")).stdout)).toMatchObject({
    title: "Launch (copy)",
    status: "draft",
    scheduledAt: null,
  })
  const { id: copy } = JSON.parse((await run("events", "clone", event.id, "--json")).stdout)
  expect((await run("events", "cancel", copy, "--reason", "The speaker is ill.")).stdout).toContain("  cancelled  ")
  expect((await call(server.url, "GET", `/v1/events/${copy}`, { key: workspace.key })).body).toMatchObject({
    status: "draft",
    cancelReason: "The speaker is ill.",
  })
  expect((await run("events", "cancel", copy)).stderr).toContain("The event is cancelled already.")
  expect((await run("events", "reinstate", copy)).stdout).toContain("  draft  ")
  const file = join(await temporaryFolder(), "event.json")
  await writeFile(file, JSON.stringify({ type: "meetup", title: "Of a file", capacity: 5 }))
  expect(JSON.parse((await run("events", "create", "--file", file, "--json")).stdout)).toMatchObject({
    ...{ type: "meetup", title: "Of a file", capacity: 5 },
  })
  for (const [args, said] of [
    [["events", "create"], "An event needs a --title, or a --file."],
    [["events", "create", "--title", "x", "--phase", "party"], "modality"],
    [["events", "create", "--title", "x", "--phase", "meeting:soon"], '"meeting:soon" is no phase'],
    [["events", "end", "nothing"], "No such event"],
    [["events", "clone"], '"events clone" needs the id of an event'],
    [["events", "clone", event.id, "--scheduled-at", "soon"], "scheduledAt"],
    [["events", "end"], '"events end" needs the id of an event'],
    [["events", "fly"], '"events fly" is no command; there are events list, events create'],
    [["events", "list", "--colour"], "Unknown option '--colour'"],
    [["events", "list", "--url", "ftp://x"], "The address must begin with http:// or https://."],
  ] as const) {
    const { code, stderr } = await run(...args)
    expect([args, code, stderr]).toEqual([args, 1, expect.stringContaining(said)])
  }
})

test("a server that is none is told, and what it says cannot move the cursor", async () => {
  const evil = "x\u001b[2J\r\u202e"
  let answer = "<html>"
  const stranger = createServer((_request, response) => void response.writeHead(200).end(answer)).listen(0, "127.0.0.1")
  await once(stranger, "listening")
  onTestFinished(() => void stranger.close())
  const url = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`
  const { HOME } = await login()
  const run = (...args: ReadonlyArray<string>) => runCommand(args, { HOME, GATHERCUE_URL: url, GATHERCUE_KEY: "gck_x" })
  const noServer = `The answer of ${url} is not that of a Gathercue server.\n`
  expect(await run("events", "list")).toEqual({ code: 1, stdout: "", stderr: noServer })
  answer = JSON.stringify({ events: [{ id: evil, status: "live", title: evil, scheduledAt: null }] })
  for (const args of [
    ["events", "list"],
    ["events", "list", "--json"],
  ]) {
    const { code, stdout } = await run(...args)
    expect([code, ["\u001b", "\r", "\u202e"].some((one) => stdout.includes(one))]).toEqual([0, false])
  }
})

test("webhooks reach a program on this machine, signed and each once, also those of an outage", async () => {
  const receiver = await startReceiver(
    (response, _request, nth) => void response.writeHead(nth === 1 ? 500 : 204).end(),
  )
  const types = (): ReadonlyArray<unknown> => receiver.received.map(({ headers }) => headers["x-gc-event-type"])
  const way = await road()
  const environment = await login(way.url)
  const key = workspace.key
  const before = (await call(server.url, "POST", "/v1/events", { key, body: { type: "a", title: "Before" } })).body.id
  await call(server.url, "POST", `/v1/events/${before}/publish`, { key })
  const chosen = ["--type", "event.published", "--type", "event.started"]
  const { said, child, ended } = await started(
    ["webhooks", "listen", "--forward", `${receiver.url}/hooks`, ...chosen],
    environment,
  )
  await expect.poll(() => said.stderr).toMatch(/^Listening to .* are signed with whsec_\S+\n$/)
  const secret = /whsec_\S+/.exec(said.stderr)?.[0] ?? ""
  const { body } = await call(server.url, "POST", "/v1/events", {
    ...{ key, body: { type: "a", title: "Now", phases: [{ modality: "meeting" }] } },
  })
  const act = (name: string) => call(server.url, "POST", `/v1/events/${body.id}/${name}`, { key })
  await act("publish")
  await expect.poll(types).toEqual(["event.published"])
  way.cut()
  await expect.poll(() => said.stderr).toContain("gave no answer")
  for (const name of ["start", "end"]) await act(name)
  way.mend()
  await expect.poll(types).toEqual(["event.published", "event.started"])
  for (const { headers, body: sent } of receiver.received) {
    const signature = String(headers["x-gc-signature"])
    const [, time = "", given] = /^t=(\d+),v1=([0-9a-f]+)$/.exec(signature) ?? []
    expect(given).toBe(createHmac("sha256", secret).update(`${time}.${sent}`).digest("hex"))
    expect(JSON.parse(sent)).toMatchObject({ id: headers["x-gc-event-id"], eventId: body.id })
  }
  await expect
    .poll(() =>
      said.stdout
        .trim()
        .split("\n")
        .map((line) => line.split("-> ")[1]),
    )
    .toEqual(["500", "204"])
  child.kill("SIGINT")
  await ended
  expect(await runCommand(["webhooks", "listen", "--type", "event.began"], environment)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('"event.began" is no webhook type; there are '),
  })
})

test("the completion is bash's, and knows commands and their options", async () => {
  const { stdout } = await runCommand(["completion"])
  const file = join(await temporaryFolder(), "completion")
  await writeFile(file, stdout)
  const complete = async (...words: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
    const line = words.map((word) => `'${word}'`).join(" ")
    const script = `source ${file}; COMP_WORDS=(gathercue ${line}); COMP_CWORD=${words.length}; _gathercue; printf '%s\\n' "\${COMPREPLY[@]}"`
    const printed = await promisify(execFile)("bash", ["--norc", "-c", script])
    return printed.stdout.split("\n").filter((word) => word !== "")
  }
  expect(await complete("ev")).toEqual(["events"])
  expect(await complete("events", "")).toEqual("list create clone publish start next end cancel reinstate".split(" "))
  expect(await complete("webhooks", "listen", "--f")).toEqual(["--forward"])
  expect(await complete("events", "end", "01a2", "--")).toEqual(["--url", "--json"])
})

test("a message of an agent that the server cannot read is answered under its id", async () => {
  const { child, said, ended } = await started(["mcp"], await login())
  const ping = (id: unknown, params: unknown) => JSON.stringify({ jsonrpc: "2.0", id, method: "ping", params })
  child.stdin.end(`${ping(1, { text: "\ud83d" })}\n${ping("b", { text: "\u2028" })}\n[]\n{\n`)
  expect(await ended).toBe(0)
  const answers = said.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
  const codes = answers.map(({ id, error }) => `${id} ${error?.code}`)
  expect(codes.toSorted()).toEqual(["1 -32700", "b undefined", "null -32600", "null -32700"])
})

/** A live event with a phase of ten minutes, and a call of the API about it. */
const liveEvent = async (title: string) => {
  const key = workspace.key
  const phases = [{ modality: "meeting", config: { durationSeconds: 600 } }, { modality: "meeting" }]
  const { body } = await call(server.url, "POST", "/v1/events", { key, body: { type: "a", title, phases } })
  const path = `/v1/events/${body.id}`
  for (const step of ["publish", "start"]) await call(server.url, "POST", `${path}/${step}`, { key })
  return { id: body.id as string, act: (step: string) => call(server.url, "POST", `${path}/${step}`, { key }) }
}

test("a live event is followed by a pipe, version by version, until it has ended", async () => {
  const way = await road()
  const environment = await login(way.url)
  const { id, act } = await liveEvent("Launch")
  const text = await started(["live", id], environment)
  const json = await started(["live", id, "--json"], environment)
  await expect.poll(() => text.said.stdout).toMatch(/^Launch {2}\[live\]\nPhase 1 of 2: meeting, (?:9:|10:)\d\d left\n/)
  expect(text.said.stdout).toContain("\nPeople: 0\nQuestions: 0\n")
  await expect.poll(() => json.said.stdout).toContain("\n")
  way.cut()
  await expect.poll(() => text.said.stderr).toContain("gave no answer")
  await act("advance")
  way.mend()
  await expect.poll(() => text.said.stdout).toContain("Phase 2 of 2: meeting, no time limit")
  await act("end")
  expect([await text.ended, await json.ended]).toEqual([0, 0])
  const states = json.said.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
  expect(states.map(({ event }) => event.status).filter((status, at, all) => status !== all[at - 1])).toEqual([
    "live",
    "ended",
  ])
  expect(new Set(states.map(({ v }) => v)).size).toBe(states.length)
  expect(await runCommand(["live", "nothing"], environment)).toMatchObject({
    code: 1,
    stderr: "No such event: the id is not a UUID.\n",
  })
})

/** `gathercue live` on a terminal. */
const onTerminal = async (id: string, environment: { readonly [key: string]: string }) => {
  // The program `script` gives the command a terminal of its own.
  const command = `${process.execPath} ${await compiled("src/main.ts")} live ${id}`
  const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
    env: { ...environment, PATH: "/usr/bin:/bin", TERM: "xterm" },
    stdio: ["pipe", "pipe", "inherit"],
  })
  const ended = once(child, "exit")
  onTestFinished(async () => {
    child.kill("SIGKILL")
    await ended
  })
  let screen = ""
  child.stdout.on("data", (chunk: Buffer) => (screen += chunk.toString()))
  return {
    child,
    ended: ended.then(([code]) => code as number | null),
    screen: () => screen,
    last: () => screen.slice(screen.lastIndexOf("\u001b[2J")),
  }
}

test("a terminal shows a live event, takes commands for it, and is left as it was", async () => {
  const { id } = await liveEvent("On a terminal")
  const { child, ended, screen, last } = await onTerminal(id, await login())
  await expect.poll(last).toMatch(/On a terminal {2}\[live\]\r\nPhase 1 of 2: meeting, \d+:\d\d left/)
  const send = async (typed: string) => {
    child.stdin.write("t")
    await expect.poll(screen).toMatch(/\): [^\n]*$/)
    child.stdin.write(`${typed}\r`)
  }
  await send("phase.next {")
  await expect.poll(last).toContain("Nothing was sent: { is not JSON.")
  await send("phase.back")
  await expect.poll(last).toContain('There is no command "phase.back"')
  await send("phase.next {}")
  await expect.poll(last).toMatch(/Phase 2 of 2: meeting, no time limit[\s\S]*phase\.next was executed\./)
  child.stdin.write("q")
  expect(await ended).toBe(0)
  expect(screen().endsWith("\u001b[?1049l")).toBe(true)
})

test("a server that was away leaves no word, and one that gives no answer stops neither the clock nor a person who quits", async () => {
  const way = await road()
  const { id, act } = await liveEvent("Far away")
  const { child, ended, screen, last } = await onTerminal(id, await login(way.url))
  await expect.poll(last).toContain("Phase 1 of 2")
  way.cut()
  await expect.poll(last).toContain("gave no answer")
  await act("advance")
  way.mend()
  await expect.poll(last).toMatch(/Phase 2 of 2: meeting, no time limit\r\n(?:(?!gave no answer)[\s\S])*q: quit/)
  await way.hold()
  const drawings = (): number => screen().split("\u001b[2J").length
  const before = drawings()
  await expect.poll(drawings).toBeGreaterThan(before + 2)
  child.stdin.write("q")
  expect(await ended).toBe(0)
  expect(screen()).not.toContain("no answer in time")
  expect(screen().endsWith("\u001b[?1049l")).toBe(true)
})
