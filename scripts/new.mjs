/**
 * Begins a new command of the gateway, endpoint or webhook type: writes its first lines where they belong, and a test that fails until
 * the outcome is described. The compiler and the tests ask for the rest. Changes nothing where the name is taken or a place is not found.
 *
 *   npm run new:command -- chat.pin
 *   npm run new:endpoint -- joinCodes deleteJoinCode DELETE /v1/events/:id/join-code
 *   npm run new:webhook -- poll.extended
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const [kind, ...args] = process.argv.slice(2)
const root = process.env.NEW_ROOT ?? fileURLToPath(new URL("..", import.meta.url))

const refuse = (sentence) => {
  console.error(sentence)
  process.exit(1)
}

const textOf = (file) => readFileSync(join(root, file), "utf8")
const filesIn = (folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name}`)
const fileWith = (folder, text) => filesIn(folder).find((file) => textOf(file).includes(text))

/** Edits that are all written, or none of them. */
const edits = new Map()
const insert = (file, before, text) => {
  const now = edits.get(file) ?? textOf(file)
  const at = now.search(before)
  if (at === -1) refuse(`${file} has no place for it (${before}).`)
  edits.set(file, now.slice(0, at) + text + now.slice(at))
}
const create = (file, text) => {
  if (existsSync(join(root, file))) refuse(`${file} exists already.`)
  edits.set(file, text)
}

const dashed = (name) =>
  name
    .replaceAll(".", "-")
    .replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    .replace(/^-/, "")

const failing = (title, imports, setUp, body) => `/** ${title} */
import { afterAll, beforeAll, expect, test } from "vitest"
${imports}

${setUp}

${body}
`

const command = (name) => {
  const [, family] =
    /^([a-z]+)\.[a-zA-Z]+$/.exec(name ?? "") ?? refuse("Name the command as family.act, such as chat.pin.")
  const first = `  "${family}.`
  const messages =
    filesIn("src/protocol/messages").find(
      (file) => /_COMMANDS = \{/.test(textOf(file)) && textOf(file).includes(first),
    ) ?? refuse(`No file of src/protocol/messages has commands of "${family}".`)
  if (textOf(messages).includes(`  "${name}":`)) refuse(`${name} exists already.`)
  insert(
    messages,
    /\} as const\n\nexport const \w+_DISPATCHES|\} as const\n(?![\s\S]*_COMMANDS = \{)/,
    `  "${name}": activityCommand({ allowed: everywhere(STAFF), data: Schema.Struct({}), reply: Schema.Struct({}) }),\n`,
  )
  const activity = filesIn("src/actors/domain/activities").find((file) =>
    new RegExp(`\\n  commands: \\{\\n(?:[\\s\\S]*\\n)?    "${family}\\.`).test(textOf(file)),
  )
  if (activity !== undefined) {
    const start = textOf(activity).match(new RegExp(`    "${family}\\.`)).index
    const text = textOf(activity)
    edits.set(activity, `${text.slice(0, start)}    "${name}": () => ({}),\n${text.slice(start)}`)
  }
  insert("test/gateway/command-probes.ts", new RegExp(`  "${family}\\.\\w+": \\[`), `  "${name}": [{}, "ok"],\n`)
  const cells = ["broadcast", "meeting", "breakout", "rotation", "none"]
  const row = (role, cell) =>
    `  ${role.padEnd(17)}${cells
      .map((column) => cell.padEnd(column.length + 4))
      .join("")
      .trimEnd()}`
  insert(
    "test/gateway/permission-table.ts",
    /`\n*$/,
    `\n${name}\n${" ".repeat(19)}${cells.join("    ")}\n${["workspace_admin", "host"].map((role) => row(role, "yes")).join("\n")}\n${[
      "speaker",
      "participant",
      "viewer",
      "anonymous",
    ]
      .map((role) => row(role, "never"))
      .join("\n")}\n`,
  )
  create(
    `test/gateway/${dashed(name)}.test.ts`,
    failing(
      `The command \`${name}\` over real sockets.`,
      'import { type House, openHouse } from "./house.ts"',
      "let house: House\nbeforeAll(async () => {\n  house = await openHouse()\n})\nafterAll(() => house.stop())",
      `test("${name} by a host", async () => {
  const stage = await house.stage([{ modality: "meeting", featureSet: ["chat", "qa", "polls", "reactions"] }])
  const host = await house.join(stage, "host", "host")
  expect(await host.command("${name}", {})).toMatchObject({ ok: true })
  expect.fail("Describe what the sender and the others see, and the answer to a repeated id.")
})`,
    ),
  )
  return activity === undefined
    ? `Its handler is yours to place: the commands of "${family}" move the chart (src/actors/machine/chart.ts) or are answered by the gateway.`
    : ""
}

const endpoint = (group, name, method, path) => {
  if (path === undefined || !path.startsWith("/v1/"))
    refuse("Give its group, name, method and path: joinCodes deleteJoinCode DELETE /v1/…")
  const contract =
    fileWith("src/http/contract", `HttpApiGroup.make("${group}")`) ?? refuse(`There is no group "${group}".`)
  const handlers =
    fileWith("src/http/handlers", `export const ${group} = {`) ?? refuse(`No handlers are called "${group}".`)
  if (textOf(contract).includes(`"${name}"`)) refuse(`${name} exists already.`)
  const has = path.includes(":id") ? "\n      params: PathId," : ""
  insert(
    contract,
    new RegExp(`(?<=HttpApiGroup\\.make\\("${group}"\\)\\n  \\.add\\(\\n)`),
    `    HttpApiEndpoint.${method.toLowerCase() === "delete" ? "delete" : method.toLowerCase()}("${name}", "${path}", {${has}
      success: Schema.Struct({}),
      error: problems(...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "${path.startsWith("/v1/events/:id") ? "event" : "workspace"}")
      .annotate(OpenApi.Summary, "One line that lists show")
      .annotate(OpenApi.Description, "What it does, what it answers, and what refuses it.")
      .annotate(Example, { response: {} }),
`,
  )
  insert(
    handlers,
    /\n\} satisfies Handlers<typeof/,
    `\n  ${name}: {\n    access: "${path.startsWith("/v1/events/:id") ? "event" : "workspace"}",\n    handle: () => Effect.succeed({}),\n  },`,
  )
  create(
    `test/http/${dashed(name)}.test.ts`,
    failing(
      `The endpoint \`${method} ${path}\`.`,
      'import { call, createEvent, createWorkspace } from "../support/api.ts"\nimport { startTestServer, type TestServer } from "../support/server.ts"',
      "let server: TestServer\nbeforeAll(async () => {\n  server = await startTestServer()\n})\nafterAll(() => server.stop())",
      `test("${name}", async () => {
  const { key } = await createWorkspace(server.url)
  const event = await createEvent(server.url, key)
  const answer = await call(server.url, "${method}", \`${path.replace(":id", `\${event.id}`)}\`, { key })
  expect(answer.status).toBe(200)
  expect.fail("Describe the answer, each refusal, bad input, and another workspace's id.")
})`,
    ),
  )
  return ""
}

const webhook = (type) => {
  if (!/^[a-z]+\.[a-z]+$/.test(type ?? "")) refuse("Name the type as noun.verb, such as poll.extended.")
  const types = "src/model/integrations/webhook-types.ts"
  if (textOf(types).includes(`"${type}":`)) refuse(`${type} exists already.`)
  insert(
    types,
    /\} as const\n\n\/\*\* [^\n]*\nexport type WebhookEventType/,
    `  "${type}": ofEvent("One sentence about what has happened.", {}, {}),\n`,
  )
  create(
    `test/http/${dashed(type)}-webhook.test.ts`,
    failing(
      `The webhook type \`${type}\`.`,
      'import { call, createLiveEvent, createWorkspace } from "../support/api.ts"\nimport { startReceiver } from "../support/http-receiver.ts"\nimport { startTestServer, type TestServer } from "../support/server.ts"',
      "let server: TestServer\nbeforeAll(async () => {\n  server = await startTestServer()\n})\nafterAll(() => server.stop())",
      `test("${type} is delivered once", async () => {
  const { key } = await createWorkspace(server.url)
  const receiver = await startReceiver()
  const endpoint = { url: receiver.url, eventTypes: ["${type}"] }
  expect((await call(server.url, "POST", "/v1/webhooks", { key, body: endpoint })).status).toBe(201)
  await createLiveEvent(server.url, key)
  expect.fail("Cause it (turn.occur in an activity, or appendOccurrences), and describe the delivery.")
})`,
    ),
  )
  return ""
}

const KINDS = { command, endpoint, webhook }
const note = (KINDS[kind] ?? (() => refuse("Say command, endpoint or webhook.")))(...args)
for (const [file, text] of edits) {
  writeFileSync(join(root, file), text)
  console.log(file)
}
if (note !== "") console.log(note)
console.log("Next: npx tsc --noEmit --incremental false, then CONTRIBUTING.md has the row for such a change.")
