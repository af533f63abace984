/**
 * Writes into package-lock.json the hash of each package that has none: of its tarball, as the registry serves it. Needed where a
 * lockfile was made with a registry that lacks the packages of other platforms. Exits 1 if some are still without.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const path = fileURLToPath(new URL("../package-lock.json", import.meta.url))
const lock = JSON.parse(readFileSync(path, "utf8"))
const folder = mkdtempSync(join(tmpdir(), "gathercue-pin-"))

const hashOf = (name) => {
  const answer = execFileSync("npm", ["pack", name, "--json", "--pack-destination", folder], { encoding: "utf8" })
  const [{ filename }] = JSON.parse(answer)
  return `sha512-${createHash("sha512")
    .update(readFileSync(join(folder, filename)))
    .digest("base64")}`
}

/** `integrity` stands after the version, where npm writes it. */
const pinned = ({ version, ...rest }, integrity) => ({ version, integrity, ...rest })

let missing = 0
for (const [place, entry] of Object.entries(lock.packages)) {
  if (!place.includes("node_modules/") || entry.link === true || entry.integrity !== undefined) continue
  const name = `${entry.name ?? place.slice(place.lastIndexOf("node_modules/") + 13)}@${entry.version}`
  try {
    lock.packages[place] = pinned(entry, hashOf(name))
    console.log(`${name} is pinned`)
  } catch {
    missing++
    console.error(`${name} is not served by this registry`)
  }
}
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`)
rmSync(folder, { recursive: true })
process.exit(missing === 0 ? 0 : 1)
