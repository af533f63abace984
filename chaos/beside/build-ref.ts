/** Builds another commit of this repository, in a temporary folder. */
import { execFile } from "node:child_process"
import { mkdtemp, readFile, realpath, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { type Build, buildIn } from "../site/build.ts"
import type { Defer } from "../undo.ts"
import type { Ref } from "./choose-ref.ts"
import { git } from "./git.ts"

const run = promisify(execFile)

/** Folders that a server is built without. To compile the tests too would take as long again. */
const UNNEEDED = /^(?:test|vitest|benchmarks|chaos|demo|capacity|examples)/
const LOCKFILE = "package-lock.json"
const MODULES = "node_modules"

const step = async (title: string, folder: string, file: string, ...args: ReadonlyArray<string>): Promise<void> => {
  try {
    await run(file, args, { cwd: folder, maxBuffer: 2 ** 26 })
  } catch (cause) {
    const { stdout = "", stderr = "" } = cause as { readonly stdout?: string; readonly stderr?: string }
    const words = `${stdout}${stderr}`.trim().split("\n").slice(-20).join("\n")
    throw new Error(`${title} failed:\n${words || String(cause)}`)
  }
}

/** The packages of this checkout, when the commit wants the same ones. */
const addPackages = async (root: string, folder: string, say: (line: string) => void): Promise<void> => {
  const [here, there] = await Promise.all([root, folder].map((path) => readFile(join(path, LOCKFILE), "utf8")))
  if (here === there) {
    await symlink(await realpath(join(root, MODULES)), join(folder, MODULES))
    return
  }
  say("its packages differ from those of this checkout and are installed")
  await step("npm ci of the other build", folder, "npm", "ci", "--no-audit", "--no-fund")
}

/** `root`: the folder of this checkout. */
export const buildRef = async (
  root: string,
  { name, commit }: Ref,
  say: (line: string) => void,
  defer: Defer,
): Promise<Build> => {
  const folder = await mkdtemp(join(tmpdir(), "gathercue-build-"))
  defer("the folder of the other build", () => rm(folder, { recursive: true, force: true }))
  const archive = join(folder, "source.tar")
  const there = (await git(root, "ls-tree", "--name-only", commit)).split("\n")
  const sources = there.filter((name) => name !== "" && !UNNEEDED.test(name))
  await git(root, "archive", "--format=tar", `--output=${archive}`, commit, "--", ...sources)
  await step("unpacking the other build", folder, "tar", "-xf", archive)
  await addPackages(root, folder, say)
  await step(`the build of ${name}`, folder, process.execPath, "scripts/build.mjs")
  return buildIn(folder, name)
}
