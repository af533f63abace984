/**
 * Writes the generated sources of the client, `packages/client/src/contract/`, from the contracts of REST and gateway. They are not in
 * the repository. Nothing happens while they are newer than what they come from, so that every build, check and suite may call it first.
 */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { modified, root } from "./assets.mjs"

const FOLDER = join(root, "packages/client/src/contract")
/** The printed types depend on these alone; `src/http/contract` imports nothing but model and protocol. */
const SOURCES = ["src/protocol", "src/model", "src/http/contract", "scripts/contract"]
const OTHER_SOURCES = ["scripts/client-contract.mjs", "packages/client/src/route-table.ts", "package-lock.json"]
/** This file is written last: its time is that of the last complete generation. */
const LAST = "types.ts"

const sourcesIn = (folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name))

/** The modules are compiled one by one, because the program imports those of the contract by their place. */
const compile = async (folder) => {
  const { rolldown } = await import("rolldown")
  const made = await rolldown({
    input: SOURCES.flatMap(sourcesIn).filter((file) => file.endsWith(".ts")),
    cwd: root,
    platform: "node",
    logLevel: "warn",
    external: /^[^./]/,
  })
  await made.write({
    dir: folder,
    format: "esm",
    preserveModules: true,
    preserveModulesRoot: root,
    entryFileNames: "[name].js",
  })
  await made.close()
}

/** Each file is replaced as a whole, because two processes may write at once. */
const write = (name, text) => {
  const path = join(FOLDER, name)
  const part = `${path}.${process.pid}`
  writeFileSync(part, text)
  renameSync(part, path)
}

const isCurrent = () => {
  const written = modified(join(FOLDER, LAST))
  const inputs = [
    ...SOURCES.flatMap((folder) => [join(root, folder), ...sourcesIn(folder)]),
    ...OTHER_SOURCES.map((file) => join(root, file)),
  ]
  return inputs.every((input) => modified(input) < written)
}

if (!isCurrent()) {
  const startedAt = new Date()
  // Packages are found from a folder inside the repository.
  mkdirSync(join(root, "dist"), { recursive: true })
  const compiled = mkdtempSync(join(root, "dist/.contract-"))
  try {
    await compile(compiled)
    const { clientContract } = await import(pathToFileURL(join(compiled, "scripts/contract/client-contract.js")).href)
    const files = await clientContract(new URL("src/", pathToFileURL(`${root}/`)))
    mkdirSync(FOLDER, { recursive: true })
    for (const [name, text] of [...files].sort(([a], [b]) => Number(a === LAST) - Number(b === LAST))) write(name, text)
    utimesSync(join(FOLDER, LAST), startedAt, startedAt)
  } finally {
    rmSync(compiled, { recursive: true, force: true })
  }
}
