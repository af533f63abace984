/** The packages that `npm ci` installs are pinned by their contents: the check that `npm run check` runs, on lockfiles with and without holes. */
import { execFile } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { temporaryFolder } from "./support/temporary-folder.ts"

const inRoot = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

interface Entry {
  integrity?: string
  version?: string
  link?: boolean
  optional?: boolean
  hasInstallScript?: boolean
  engines?: { readonly node: string }
}

interface Lock {
  readonly packages: { [place: string]: Entry }
}

/** The check's exit code and what it says of the project's lockfile after a change. */
const check = async (change: (packages: Lock["packages"]) => void) => {
  const lock = JSON.parse(readFileSync(inRoot("package-lock.json"), "utf8")) as Lock
  change(lock.packages)
  const path = join(await temporaryFolder(), "package-lock.json")
  writeFileSync(path, JSON.stringify(lock))
  return new Promise<{ code: number; said: string }>((resolve) => {
    execFile(process.execPath, [inRoot("scripts/check-lockfile.mjs"), path], (failure, stdout, stderr) => {
      resolve({ code: failure === null ? 0 : Number(failure.code), said: stdout + stderr })
    })
  })
}

test("the project's lockfile passes, with links and the project itself left out", async () => {
  const { code } = await check((packages) => {
    packages["node_modules/linked"] = { link: true }
  })
  expect(code).toBe(0)
})

test.each([
  ["without a hash", undefined],
  ["with a weak one", "sha1-KoOs7yqHJ7vGLrNhHR0m3TQKj2A="],
])("a package %s fails the check by name", async (_name, integrity) => {
  const { code, said } = await check((packages) => {
    const { integrity: _gone, ...entry } = packages["node_modules/effect"] ?? {}
    packages["node_modules/effect"] = integrity === undefined ? entry : { ...entry, integrity }
    packages["node_modules/a/node_modules/nested"] = { version: "1.0.0" }
  })
  expect(code).toBe(1)
  expect(said).toContain("nested@1.0.0 has no sha512 integrity")
  expect(said).toMatch(/effect@[\d.]+ has no sha512 integrity/)
})

test("a package of another platform that has no hash yet passes only at the version that is known", async () => {
  const place = "node_modules/@uwsjs/linux-arm64-20"
  const { code, said } = await check((packages) => {
    packages[place] = { version: "20.99.0" }
  })
  expect(code).toBe(1)
  expect(said).toContain("@uwsjs/linux-arm64-20@20.99.0 has no sha512 integrity")
})

test("a package that refuses a supported Node, or that has an install script of its own, fails the check by name", async () => {
  const { code, said } = await check((packages) => {
    const entry = packages["node_modules/effect"] ?? {}
    packages["node_modules/picky"] = { ...entry, version: "1.0.0", engines: { node: ">=22.1" } }
    packages["node_modules/scripted"] = { ...entry, version: "2.0.0", hasInstallScript: true }
    packages["node_modules/passed-over"] = { ...entry, version: "3.0.0", engines: { node: ">=99" }, optional: true }
  })
  expect(code).toBe(1)
  expect(said).toContain("picky@1.0.0 does not support Node 20.19.0")
  expect(said).not.toContain("picky@1.0.0 does not support Node 22")
  expect(said).toContain("scripted@2.0.0 has an install script")
  expect(said).not.toContain("passed-over")
})
