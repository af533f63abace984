/** The settings of the guide for coturn, taken by coturn itself. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { blocksOf } from "../test/support/code-blocks.ts"
import { freePort } from "../test/support/free-port.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"
import { eventually } from "../test/support/wait.ts"
import { answers } from "./turn-server.ts"

test("coturn starts with the file of the guide, knows every line of it, and bars the networks that it names", async () => {
  const [settings = ""] = blocksOf("docs/calls.md").flatMap(({ language, code }) => (language === "conf" ? [code] : []))
  const folder = await temporaryFolder()
  const [file, port] = [join(folder, "turnserver.conf"), await freePort()]
  const placed = settings
    .replace("<the value of TURN_SECRET>", "a secret of the test")
    .replace("<its public address>", "203.0.113.7")
    .replace("listening-port=3478", `listening-port=${port}`)
  await writeFile(file, placed)
  const own = [
    "--listening-ip=127.0.0.1",
    "--relay-ip=127.0.0.1",
    "--no-tls",
    "--no-dtls",
    "--no-cli",
    "--log-file=stdout",
  ]
  const places = [`--userdb=${join(folder, "users.sqlite")}`, `--pidfile=${join(folder, "turn.pid")}`]
  const child = spawn("/usr/bin/turnserver", ["-c", file, ...own, ...places], { cwd: folder })
  const exited = once(child, "exit")
  onTestFinished(async () => {
    child.kill("SIGKILL")
    await exited
  })
  let said = ""
  for (const output of [child.stdout, child.stderr]) output.on("data", (chunk: Buffer) => (said += chunk.toString()))
  await eventually(() => answers(port), "the TURN server listening")
  expect(said).not.toMatch(/unknown|bad configuration|bad ip|ERROR/i)
  const ranges = Array.from(placed.matchAll(/^denied-peer-ip=(\S+)-/gm), ([, first = ""]) => first)
  expect(ranges).toContain("10.0.0.0")
  for (const first of ranges.filter((address) => address.includes("."))) expect(said).toContain(first)
})
