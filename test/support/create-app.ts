/** The template's program as users run it: packed, installed in a folder of its own, and run by its name. */
import { execFile } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll } from "vitest"
import { temporaryFolder } from "./temporary-folder.ts"

const run = promisify(execFile)
const PACKAGE = fileURLToPath(new URL("../../packages/create-app", import.meta.url))

interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs the program in a folder. */
export type CreateApp = (cwd: string, ...args: ReadonlyArray<string>) => Promise<Outcome>

export const installCreateApp = async (): Promise<CreateApp> => {
  const folder = await temporaryFolder(afterAll)
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: PACKAGE })
  const [{ filename }] = JSON.parse(stdout)
  await writeFile(join(folder, "package.json"), '{"private":true}')
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", join(folder, filename)], { cwd: folder })
  const program = join(folder, "node_modules/.bin/create-gathercue-app")
  return (cwd, ...args) =>
    run(program, args, { cwd }).then(
      (done) => ({ code: 0, ...done }),
      ({ code, stdout: out, stderr }) => ({ code, stdout: out, stderr }),
    )
}
