/**
 * Runs a benchmark: installs the peers, which are a package of their own, when their lockfile has changed, compiles, and starts
 * the benchmark with the arguments of this command.
 */
import { spawnSync } from "node:child_process"
import { existsSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { modified, root } from "./assets.mjs"

const folder = join(root, "benchmarks")
const compiled = join(root, "dist/benchmarks")

const run = (command, args, cwd = root) => {
  const { status } = spawnSync(command, args, { cwd, stdio: "inherit" })
  if (status !== 0) process.exit(status ?? 1)
}

// npm writes this file at the end of an installation.
const installed = modified(join(folder, "node_modules/.package-lock.json"))
if (installed < modified(join(folder, "package-lock.json"))) run("npm", ["ci", "--no-audit", "--no-fund"], folder)

run(process.execPath, [join(root, "scripts/build.mjs")])
run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--project", folder])
// The compiled files stand elsewhere, and Node looks for packages beside them.
const packages = join(compiled, "node_modules")
if (!existsSync(packages)) {
  rmSync(packages, { force: true })
  symlinkSync(join(folder, "node_modules"), packages)
}
run(process.execPath, ["--expose-gc", join(compiled, "main.js"), ...process.argv.slice(2)])
