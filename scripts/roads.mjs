/**
 * Prints the road of five acts through a running server: the files of src/ whose functions ran, in the order in which they were first
 * entered, and how often each was entered again from another file. What also runs while nothing is asked of the server is left out.
 *
 *   npm run roads -- [--list]
 */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import { root } from "./assets.mjs"
import { prepare } from "./roads/acts.mjs"

const isListed = process.argv.includes("--list")
const IDLE_MS = 4000
const READY_WITHIN_MS = 120_000

const folder = mkdtempSync(join(tmpdir(), "gathercue-roads-"))
const socketPath = join(folder, "socket")
const hook = String(pathToFileURL(join(root, "scripts/roads/hook.mjs")))
const server = spawn(process.execPath, ["--import", hook, join(root, "dist/src/main.js")], {
  env: {
    ...process.env,
    ROADS_SOCKET: socketPath,
    PORT: "0",
    DATA_DIR: join(folder, "data"),
    LOG_LEVEL: "info",
    ALLOW_LOOPBACK_TARGETS: "true",
  },
  stdio: ["ignore", "pipe", "inherit"],
})
const ended = new Promise((resolve) => server.once("exit", resolve))

/** The address that the server prints. */
const base = await new Promise((resolve, reject) => {
  let text = ""
  const late = AbortSignal.timeout(READY_WITHIN_MS)
  late.onabort = () => reject(new Error(`the server is not ready:\n${text}`))
  server.once("exit", () => reject(new Error(`the server has ended:\n${text}`)))
  server.stdout.setEncoding("utf8").on("data", (more) => {
    text += more
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? []
    if (address !== undefined) resolve(address)
  })
})

const control = connect(socketPath)
const ask = (what) =>
  new Promise((resolve) => {
    let answer = ""
    const read = (more) => {
      answer += more
      if (!answer.endsWith("\n")) return
      control.off("data", read)
      resolve(answer.trim() === "" ? [] : JSON.parse(answer))
    }
    control.setEncoding("utf8").on("data", read)
    control.write(what)
  })

/** Pairs of file and function, in the order of their calls. */
const recorded = async (act) => {
  await ask("begin")
  await act()
  const flat = await ask("end")
  return Array.from({ length: flat.length / 2 }, (_, n) => [flat[2 * n], flat[2 * n + 1]])
}

const roadOf = (calls) => {
  const entries = new Map()
  let before
  for (const [file] of calls) {
    if (file !== before) entries.set(file, (entries.get(file) ?? 0) + 1)
    before = file
  }
  return entries
}

try {
  const { acts, close } = await prepare(base)
  // Everything is compiled, prepared and cached: the second time is what counts.
  for (const before of Object.values(acts)) await (await before())()
  const idle = new Set((await recorded(() => setTimeout(IDLE_MS))).map(([file, at]) => `${file} ${at}`))
  console.log("| act | files | entered again more than three times | most often |\n| --- | ---: | ---: | --- |")
  for (const [name, before] of Object.entries(acts)) {
    const act = await before()
    const calls = (await recorded(act)).filter(([file, at]) => !idle.has(`${file} ${at}`))
    const entries = roadOf(calls)
    const often = [...entries].filter(([, times]) => times > 4).toSorted(([, a], [, b]) => b - a)
    const most = often.slice(0, 3).map(([file, times]) => `${file} ${times - 1}`)
    console.log(`| ${name} | ${entries.size} | ${often.length} | ${most.join(", ")} |`)
    if (isListed)
      for (const [file, times] of entries) console.log(`    ${file}${times > 1 ? ` (again ${times - 1})` : ""}`)
  }
  close()
} finally {
  control.destroy()
  server.kill("SIGTERM")
  await ended
  rmSync(folder, { recursive: true, force: true })
}
