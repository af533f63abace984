/** Programs that Debian 12 has not, or only in releases that are too old. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const BUILD = fileURLToPath(new URL("../../scripts/build-go-program.mjs", import.meta.url))

/** The path of the program, which is built if it is not there yet. */
export const goProgram = (name: "pebble" | "caddy"): string => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BUILD, name], { encoding: "utf8" })
  if (status !== 0) throw new Error(stderr.trim())
  return stdout.trim()
}
