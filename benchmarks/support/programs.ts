/** Programs of the machine that benchmarks start, beside the packages of this folder. */
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"

/** Debian package of each program. */
const PACKAGES = {
  chromium: "chromium",
  ffmpeg: "ffmpeg",
  ffprobe: "ffmpeg",
  "nats-server": "nats-server",
  nginx: "nginx",
  "redis-server": "redis-server",
} as const

export type Program = keyof typeof PACKAGES

/** Debian installs servers in a folder outside an ordinary user's path. */
const FOLDERS = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin"]

const findProgram = (name: Program): string | undefined =>
  FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path))

export const missingOf = (needed: ReadonlyArray<Program>): ReadonlyArray<Program> =>
  needed.filter((name) => findProgram(name) === undefined)

export const installCommand = (missing: ReadonlyArray<Program>): string =>
  `apt-get install ${[...new Set(missing.map((name) => PACKAGES[name]))].join(" ")}`

/** Throws when the program is not installed. */
export const programPath = (name: Program): string => {
  const found = findProgram(name)
  if (found === undefined) throw new Error(`The program ${name} is not installed: ${installCommand([name])}`)
  return found
}
