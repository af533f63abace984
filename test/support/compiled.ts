/**
 * The source as JavaScript, for tests that start processes of their own: compiled by the project's compiler, once per run
 * and only when a test asks for it, into the run's folder. No build is needed, and the current source is what runs.
 */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { cp, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { inject } from "vitest"
import { compiledIn } from "./run-folder.ts"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))
/** The programs of the processes; the compiler follows their imports. */
const ENTRIES = ["src/main.ts", "src/media/processing/media-process.ts", "test/store/embedded-holder.ts"]
const ASSETS = /\.(?:sql|html|css|md)$/
/** Nothing but the code: `npm run check` looks at the types. */
const SETTINGS = { rootDir: ROOT, noCheck: true, declaration: false, sourceMap: false, incremental: false }

/** The compiled module of a source, such as `src/main.ts`. */
export const compiled = async (source: string): Promise<string> => {
  const run = inject("runFolder")
  const done = compiledIn(run)
  if (!existsSync(done)) await compile(run, done)
  return join(done, source.replace(/\.ts$/, ".js"))
}

async function compile(run: string, done: string): Promise<void> {
  const folder = await mkdtemp(join(run, "compiling-"))
  const project = join(folder, "tsconfig.json")
  const files = ENTRIES.map((entry) => join(ROOT, entry))
  const compilerOptions = {
    ...SETTINGS,
    outDir: folder,
    tsBuildInfoFile: null,
    typeRoots: [join(ROOT, "node_modules/@types")],
  }
  await writeFile(
    project,
    JSON.stringify({ extends: join(ROOT, "tsconfig.json"), files, include: [], compilerOptions }),
  )
  await promisify(execFile)(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "--project", project])
  await cp(join(ROOT, "src"), join(folder, "src"), {
    recursive: true,
    filter: (from) => !basename(from).includes(".") || ASSETS.test(from),
  })
  await cp(join(ROOT, "package.json"), join(folder, "package.json"))
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"))
  // Another worker may have been first; its files are the same.
  await rename(folder, done).catch(() => rm(folder, { recursive: true }))
}
