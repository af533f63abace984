/** The beginnings of a command, an endpoint and a webhook type, written into a copy of the sources. */
import { execFile } from "node:child_process"
import { cp, mkdir, readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, test } from "vitest"
import { temporaryFolder } from "./support/temporary-folder.ts"

const ROOT = fileURLToPath(new URL("..", import.meta.url))
const COPIED = [
  "src/protocol/messages",
  "src/actors/domain/activities",
  "src/http/contract",
  "src/http/handlers",
  "src/model/integrations",
  "test/gateway/command-probes.ts",
  "test/gateway/permission-table.ts",
]

let root: string
const ends: Array<() => unknown> = []
beforeAll(async () => {
  root = await temporaryFolder((end) => void ends.push(end as () => unknown))
  for (const path of COPIED) await cp(join(ROOT, path), join(root, path), { recursive: true })
  await mkdir(join(root, "test/http"), { recursive: true })
})

afterAll(async () => {
  for (const end of ends) await end()
})

const begin = (...args: ReadonlyArray<string>) =>
  promisify(execFile)(process.execPath, [join(ROOT, "scripts/new.mjs"), ...args], {
    env: { NEW_ROOT: root },
  }).then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    ({ code, stderr }) => ({ code, said: stderr }),
  )
const textOf = (file: string) => readFile(join(root, file), "utf8")
/** Lines that the copy has and the sources have not. */
const addedTo = async (file: string) => {
  const before = new Set((await readFile(join(ROOT, file), "utf8")).split("\n"))
  return (await textOf(file)).split("\n").filter((line) => !before.has(line))
}

test("a command has its contract, handler, probe, permissions and a test that fails", async () => {
  expect(await begin("command", "chat.pin")).toMatchObject({ code: 0 })
  expect(await addedTo("src/protocol/messages/chat.ts")).toEqual([
    '  "chat.pin": activityCommand({ allowed: everywhere(STAFF), data: Schema.Struct({}), reply: Schema.Struct({}) }),',
  ])
  expect(await addedTo("src/actors/domain/activities/chat.ts")).toEqual(['    "chat.pin": () => ({}),'])
  expect(await addedTo("test/gateway/command-probes.ts")).toEqual(['  "chat.pin": [{}, "ok"],'])
  expect(await addedTo("test/gateway/permission-table.ts")).toEqual(["chat.pin"])
  expect(await textOf("test/gateway/chat-pin.test.ts")).toContain("expect.fail(")
})

test("an endpoint has its contract, handler and a test that fails", async () => {
  expect(await begin("endpoint", "joinCodes", "deleteJoinCode", "DELETE", "/v1/events/:id/join-code")).toMatchObject({
    code: 0,
  })
  expect(await textOf("src/http/contract/events/join-codes.ts")).toContain(
    '    HttpApiEndpoint.delete("deleteJoinCode", "/v1/events/:id/join-code", {\n',
  )
  expect(await textOf("src/http/handlers/events/join-codes.ts")).toContain("\n  deleteJoinCode: {\n")
  expect(await textOf("test/http/delete-join-code.test.ts")).toContain("expect.fail(")
})

test("a webhook type has its row and a test that fails", async () => {
  expect(await begin("webhook", "poll.extended")).toMatchObject({ code: 0 })
  expect(await addedTo("src/model/integrations/webhook-types.ts")).toEqual([
    '  "poll.extended": ofEvent("One sentence about what has happened.", {}, {}),',
  ])
  expect(await textOf("test/http/poll-extended-webhook.test.ts")).toContain("expect.fail(")
})

test.each([
  [["command", "chat.slow"], "chat.slow exists already."],
  [["command", "weather.ask"], 'No file of src/protocol/messages has commands of "weather".'],
  [["command", "chat"], "Name the command as family.act, such as chat.pin."],
  [["endpoint", "weather", "ask", "GET", "/v1/weather"], 'There is no group "weather".'],
  [["endpoint", "joinCodes", "findByJoinCode", "GET", "/v1/codes"], "findByJoinCode exists already."],
  [["webhook", "event.started"], "event.started exists already."],
  [["page"], "Say command, endpoint or webhook."],
])("%j is refused, and nothing is written", async (args, sentence) => {
  const before = await readdir(join(root, "test/http"))
  expect(await begin(...args)).toEqual({ code: 1, said: `${sentence}\n` })
  expect(await readdir(join(root, "test/http"))).toEqual(before)
})
