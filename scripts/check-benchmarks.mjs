/** Checks the types of the benchmarks, which have packages of their own, where these are installed. */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const folder = fileURLToPath(new URL("../benchmarks/", import.meta.url))
if (!existsSync(`${folder}node_modules`)) {
  console.log("the benchmarks are not checked: their packages are not installed (npm ci --prefix benchmarks)")
  process.exit(0)
}
const compiler = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url))
const args = [compiler, "--noEmit", "--incremental", "false", "-p", folder]
process.exit(spawnSync(process.execPath, args, { stdio: "inherit" }).status ?? 1)
