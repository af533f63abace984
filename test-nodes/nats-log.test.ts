/** The log of NATS, as Compose configures it, has no credentials and nothing of what is published. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { connect } from "@nats-io/transport-node"
import { parseYaml } from "@redocly/openapi-core"
import { expect, onTestFinished, test } from "vitest"
import { freePort } from "../test/support/free-port.ts"
import { needNats } from "../test/support/nats-server.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"
import { eventually } from "../test/support/wait.ts"

interface Compose {
  readonly configs: { readonly nats: { readonly content: string } }
}

const PASSWORD = "planted-password-of-nats"
const SECRET = "planted-credential-0123456789"

const text = readFileSync(new URL("../deploy/compose.yaml", import.meta.url), "utf8")
const compose = parseYaml(text.replaceAll(/\$\{NATS_PASSWORD:\?\}/g, PASSWORD)) as Compose

test("NATS logs neither its password, nor one that is wrong, nor what is published", async () => {
  const [port, httpPort] = [await freePort(), await freePort()]
  const file = join(await temporaryFolder(), "nats.conf")
  const content = compose.configs.nats.content.replace("8222", String(httpPort))
  await writeFile(file, `${content}\nhost: 127.0.0.1\nport: ${port}\n`)
  const child: ChildProcess = spawn(needNats(), ["--config", file], { stdio: ["ignore", "pipe", "pipe"] })
  let log = ""
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (log += chunk.toString()))
  const closed = once(child, "close")
  onTestFinished(async () => {
    child.kill("SIGKILL")
    await closed
  })
  await eventually(() => log.includes("Server is ready"), "NATS being started")
  const at = { servers: `127.0.0.1:${port}`, user: "gathercue" }
  const link = await connect({ ...at, pass: PASSWORD })
  link.publish("subject", SECRET)
  await link.drain()
  await expect(connect({ ...at, pass: SECRET, reconnect: false })).rejects.toThrow()
  await eventually(() => log.includes("authentication error"), "the refusal to be logged")
  child.kill("SIGTERM")
  await closed
  expect([PASSWORD, SECRET].filter((secret) => log.includes(secret))).toEqual([])
})
