/**
 * Builds a program that tests run, `livekit-server`, `pebble` or `caddy`, from its Go module, and keeps it in the user's cache: a build may take minutes.
 * Prints the program's path. Where it cannot be built it says why, and exits 2.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"

const PROGRAMS = {
  "livekit-server": { version: "1.9.11", module: "github.com/livekit/livekit-server/cmd/server", file: "server" },
  pebble: { version: "2.10.3", module: "github.com/letsencrypt/pebble/v2/cmd/pebble", file: "pebble" },
  caddy: { version: "2.11.9", module: "github.com/caddyserver/caddy/v2/cmd/caddy", file: "caddy" },
}
const BUILD_WITHIN_MS = 20 * 60_000

const [name] = process.argv.slice(2)
const { version, module, file } = PROGRAMS[name]
const source = `${module}@v${version}`
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "gathercue")
const program = join(cache, `${name}-${version}`)

/** The sentence for the person at the terminal; undefined: it is built. */
const build = () => {
  if (spawnSync("go", ["version"]).status !== 0) {
    return `Tests beside ${name} need Go, which builds it, and there is no "go" in the PATH.`
  }
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, "build-"))
  try {
    const { status, stderr, error } = spawnSync("go", ["install", source], {
      encoding: "utf8",
      env: { ...process.env, GOBIN: folder },
      timeout: BUILD_WITHIN_MS,
    })
    if (status !== 0) {
      const why = (stderr || String(error ?? "")).trim().split("\n").slice(-5).join("\n")
      return `${name} ${version} could not be built by "go install ${source}":\n${why}`
    }
    // Whole or not at all, also when two runs build at once.
    renameSync(join(folder, file), program)
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
