/** The drill of a restore as the document has it, and copies that a server finds out by itself, with servers as processes. */
import { execFile } from "node:child_process"
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, onTestFinished, test } from "vitest"
import { call, createWorkspace, type Json } from "../test/support/api.ts"
import { compiled } from "../test/support/compiled.ts"
import { createEmptyDatabase } from "../test/support/database.ts"
import { freePort } from "../test/support/free-port.ts"
import { startReceiver, status } from "../test/support/http-receiver.ts"
import { startMailServer } from "../test/support/mail-server.ts"
import { rowsOf } from "../test/support/rows.ts"
import { PLATFORM_KEY, SECRET_KEY } from "../test/support/server.ts"
import { runCommand, startServerProcess } from "../test/support/server-process.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"
import { eventually } from "../test/support/wait.ts"

const statusOf = async (url: string): Promise<Json> =>
  (await call(url, "GET", "/v1/platform/status", { headers: { "x-platform-key": PLATFORM_KEY } })).body

/** A server with a delivery and an email that wait: their receivers refuse them for now. */
const openOriginal = async (environment: { readonly [key: string]: string }) => {
  const mail = await startMailServer()
  const receiver = await startReceiver(status(500))
  // However slow the machine is: both are tried again and still wait when the original ends.
  mail.refuse(451, 1_000)
  const schedule = Array.from({ length: 30 }, () => 5).join()
  const given = { PLATFORM_KEY, SECRET_KEY, SMTP_URL: mail.url, WEBHOOK_RETRY_SCHEDULE: schedule, ...environment }
  const server = await startServerProcess({ PORT: "0", ...given })
  onTestFinished(async () => {
    server.child.kill("SIGKILL")
    await mail.close()
  })
  const { key } = await createWorkspace(server.url)
  const hook = (await call(server.url, "POST", "/v1/webhooks", { key, body: { url: receiver.url } })).body
  await call(server.url, "POST", `/v1/webhooks/${hook.id}/ping`, { key })
  await receiver.count(1)
  const sent = async (): Promise<boolean> => {
    const { backlog } = await statusOf(server.url)
    return backlog.deliveries.count === 1 && backlog.letters.count === 1
  }
  await eventually(sent, "a delivery and an email that wait")
  return { server, given, mail, receiver }
}

const isLate = async (url: string): Promise<boolean> => {
  const { backlog, quiet } = await statusOf(url)
  // The endpoint fails, and makes nothing late: its delivery is due before the email.
  return quiet !== null && backlog.letters.overdueSeconds >= 2
}

/** The block of commands under the heading, with the places of this test. */
const drill = async (places: ReadonlyArray<readonly [string, string]>): Promise<ReadonlyArray<string>> => {
  const document = await readFile(new URL("../docs/backups.md", import.meta.url), "utf8")
  const [, block = ""] = /## Rehearse a restore\n.*?```sh\n(.*?)```/s.exec(document) ?? []
  const placed = places.reduce((text, [from, to]) => text.replaceAll(from, to), block)
  return placed.trim().split("\n")
}

test("the five commands of the drill restore a server that calls nobody until the last of them", async () => {
  const [dataDir, folder, elsewhere] = [await temporaryFolder(), await temporaryFolder(), await temporaryFolder()]
  const shared = { DATA_DIR: dataDir, PUBLIC_URL: "https://live.example.com", MAIL_FROM: "live@example.com" }
  const { server, given, mail } = await openOriginal(shared)
  const port = await freePort()
  const lines = await drill([
    ["/backups", folder],
    ["/var/lib/gathercue/rehearsal", elsewhere],
    ["/etc/gathercue/env", join(folder, "env")],
    ["8081", String(port)],
  ])
  expect(lines).toHaveLength(5)
  const bin = join(folder, "bin")
  await mkdir(bin)
  await writeFile(join(bin, "gathercue"), `#!/bin/sh\nexec ${process.execPath} ${await compiled("src/main.ts")} "$@"\n`)
  // The user of the server is that of the test.
  await writeFile(join(bin, "sudo"), `#!/bin/sh\n[ "$1 $2" = "-u gathercue" ] || exit 1\nshift 2\nexec "$@"\n`)
  for (const name of ["gathercue", "sudo"]) await chmod(join(bin, name), 0o755)
  // In production, which refuses what a rehearsal must not be told to set. It posts nothing to this machine's own receiver.
  const settings = Object.entries({ ...given, NODE_ENV: "production", LOG_LEVEL: "warn" })
  await writeFile(join(folder, "env"), settings.map(([key, value]) => `${key}=${value}\n`).join(""))
  // The settings come from the file alone.
  const sh = (text: string) => promisify(execFile)("/bin/sh", ["-c", `export PATH=${bin}:$PATH; ${text}`], { env: {} })
  const [backUp = "", restore = "", serve = "", look = "", promote = ""] = lines

  await sh(backUp)
  await server.end("SIGTERM")
  mail.refuse(451, 0)
  expect((await sh(restore)).stdout).toContain("sends nothing until gathercue promote")
  const log = join(folder, "log")
  const { stdout: pid } = await sh(`${serve.replace(/&$/, "")} > ${log} 2>&1 & echo $!`)
  const signal = (name: "SIGTERM" | 0): boolean => {
    try {
      return process.kill(Number(pid), name)
    } catch {
      return false
    }
  }
  onTestFinished(async () => {
    signal("SIGTERM")
    await eventually(() => !signal(0), "the end of the rehearsal")
  })
  expect(JSON.parse((await sh(look)).stdout)).toMatchObject({ status: "ready", quiet: true })
  expect(await readFile(log, "utf8")).toContain("nothing is sent until gathercue promote")
  const url = `http://127.0.0.1:${port}`
  await eventually(() => isLate(url), "what waits to be late")
  expect(mail.received).toEqual([])
  expect((await statusOf(url)).quiet).toMatchObject({
    signs: ["gathercue restore put the database there.", expect.stringContaining(`The database is at ${elsewhere}`)],
    copied: { deliveries: 1, letters: 1 },
  })

  expect((await sh(promote)).stdout).toBe(
    "The database is the real one now. 1 webhook deliveries and 1 emails that waited in the original too are sent.\n",
  )
  await eventually(() => mail.received.length === 1, "the email")
  expect((await statusOf(url)).quiet).toBeNull()
})

test("workers on a copy of an external database find it out, and send together once it is promoted", async () => {
  const [original, copy] = [await createEmptyDatabase(), await createEmptyDatabase()]
  onTestFinished(async () => {
    await copy.drop()
    await original.drop()
  })
  const { server, given, mail, receiver } = await openOriginal({ DATABASE_URL: original.url })
  await server.end("SIGKILL")
  const administer = rowsOf(Object.assign(new URL(original.url), { pathname: "/postgres" }).href)
  const nameOf = (url: string): string => new URL(url).pathname.slice(1)
  await administer.run(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${nameOf(original.url)}'`,
  )
  await administer.run(`drop database ${nameOf(copy.url)}`)
  await administer.run(`create database ${nameOf(copy.url)} template ${nameOf(original.url)}`)
  await administer.end()
  const calls = receiver.received.length
  receiver.answer = status(200)
  mail.refuse(451, 0)

  const onCopy = { ...given, DATABASE_URL: copy.url }
  const checked = await runCommand(["check"], { ...onCopy, PORT: "0" })
  expect([checked.code, checked.stdout]).toEqual([
    0,
    expect.stringMatching(/warning: The database is a copy, .* Run gathercue promote when it is the real one\./),
  ])
  const again = await startServerProcess({ ...onCopy, PORT: "0", WORKERS: "2", LOG_LEVEL: "warn" })
  onTestFinished(() => void again.child.kill("SIGKILL"))
  await eventually(() => isLate(again.url), "what waits to be late")
  expect([receiver.received.length, mail.received.length]).toEqual([calls, 0])
  expect(again.written().match(/nothing is sent until gathercue promote/g)).toHaveLength(2)

  const promoted = await runCommand(["promote", "--discard-waiting"], onCopy)
  expect([promoted.code, promoted.stdout]).toEqual([0, expect.stringContaining("were discarded")])
  await eventually(async () => {
    const { quiet, backlog } = await statusOf(again.url)
    return quiet === null && backlog.deliveries.count === 0 && backlog.letters.count === 0
  }, "the promotion to be seen")
  const { key } = await createWorkspace(again.url)
  const hook = (await call(again.url, "POST", "/v1/webhooks", { key, body: { url: receiver.url } })).body
  await call(again.url, "POST", `/v1/webhooks/${hook.id}/ping`, { key })
  await receiver.count(calls + 1)
  await eventually(() => mail.received.length === 1, "the email of the new account")
  expect(receiver.received).toHaveLength(calls + 1)
  expect(await again.end("SIGTERM")).toBe(0)
  const restarted = await startServerProcess({ ...onCopy, PORT: "0" })
  expect((await statusOf(restarted.url)).quiet).toBeNull()
  await restarted.end("SIGTERM")
})

test("a copy that no server was started on yet can be promoted, and its first start sends", async () => {
  const [original, copy] = [await createEmptyDatabase(), await createEmptyDatabase()]
  onTestFinished(async () => {
    await copy.drop()
    await original.drop()
  })
  const environment = { SECRET_KEY, PLATFORM_KEY, PORT: "0" }
  for (const [url, command] of [
    [original.url, "migrate"],
    [copy.url, "migrate"],
  ] as const) {
    expect((await runCommand([command], { ...environment, DATABASE_URL: url })).code).toBe(0)
  }
  const started = await startServerProcess({ ...environment, DATABASE_URL: original.url })
  await started.end("SIGTERM")
  const [from, to] = [rowsOf(original.url), rowsOf(copy.url)]
  const [row] = await from.run("select to_jsonb(i)::text as text from instances i")
  await to.run("insert into instances select * from jsonb_populate_record(null::instances, $1::text::jsonb)", [
    row?.["text"],
  ])
  await from.end()
  await to.end()
  const onCopy = { ...environment, DATABASE_URL: copy.url }
  expect((await runCommand(["promote"], onCopy)).stdout).toContain("The database is the real one now.")
  expect((await runCommand(["promote"], onCopy)).stdout).toContain("is the real one already")
  const server = await startServerProcess(onCopy)
  expect((await statusOf(server.url)).quiet).toBeNull()
  await server.end("SIGTERM")
})
