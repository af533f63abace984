/**
 * Development: builds at every change of a source or an asset, and the server restarts when its compiled files changed.
 * (The watch mode of TypeScript 7.0 misses changes on Linux; an incremental build takes less than a second.)
 * The server has a process group of its own, so that one Ctrl-C reaches it once, through us.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { utimesSync, watch } from "node:fs"
import { join } from "node:path"
import { root } from "./assets.mjs"

const main = join(root, "dist/src/main.js")
const ASSET = /\.(sql|html|css)$/

let changed = false
let assetsChanged = false
let building = false

/** One build at a time; changes meanwhile are built next. */
async function build() {
  building = true
  do {
    changed = false
    const restart = assetsChanged
    assetsChanged = false
    const compiler = spawn(process.execPath, [join(root, "scripts/build.mjs")], { stdio: ["ignore", 1, 2] })
    const [code] = await once(compiler, "exit")
    if (code !== 0) console.error("The build failed; waiting for a change.")
    // The server is restarted by a change of what it imports, which an asset is not.
    else if (restart) utimesSync(main, new Date(), new Date())
  } while (changed)
  building = false
}

await build()
const server = spawn(process.execPath, ["--watch", "--watch-preserve-output", main], {
  cwd: root,
  detached: true,
  stdio: ["ignore", 1, 2],
})
const watched = (folder, isAsset) =>
  watch(join(root, folder), { recursive: true }, (_event, file) => {
    changed = true
    assetsChanged ||= isAsset(file ?? "")
    if (!building) void build()
  })
// The server gives the client to pages: to it that is an asset.
const sources = [watched("src", (file) => ASSET.test(file)), watched("packages/client/src", () => true)]

async function stop() {
  for (const source of sources) source.close()
  // The watching parent passes the signal on to the server and waits until it has drained.
  server.kill("SIGTERM")
  if (server.exitCode === null && server.signalCode === null) await once(server, "exit")
  process.exit(0)
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, stop)
