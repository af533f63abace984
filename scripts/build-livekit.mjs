/**
 * Builds the LiveKit server that `npm run test:livekit` runs, from its Go module, and keeps it in the user's cache: the build takes minutes.
 * Prints the program's path. Where it cannot be built it says why, and exits 2.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"

const VERSION = "1.9.11"
const MODULE = `github.com/livekit/livekit-server/cmd/server@v${VERSION}`
const BUILD_WITHIN_MS = 20 * 60_000

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "gathercue")
const program = join(cache, `livekit-server-${VERSION}`)

/** The sentence for the person at the terminal; undefined: it is built. */
const build = () => {
  if (spawnSync("go", ["version"]).status !== 0) {
    return `Tests beside LiveKit need Go, which builds the server, and there is no "go" in the PATH.`
  }
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, "build-"))
  try {
    const { status, stderr, error } = spawnSync("go", ["install", MODULE], {
      encoding: "utf8",
      env: { ...process.env, GOBIN: folder },
      timeout: BUILD_WITHIN_MS,
    })
    if (status !== 0) {
      const why = (stderr || String(error ?? "")).trim().split("\n").slice(-5).join("\n")
      return `LiveKit ${VERSION} could not be built by "go install ${MODULE}":\n${why}`
    }
    // Whole or not at all, also when two runs build at once.
    renameSync(join(folder, "server"), program)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return undefined
}

const missing = existsSync(program) ? undefined : build()
if (missing === undefined) console.log(program)
else {
  console.error(missing)
  process.exit(2)
}
