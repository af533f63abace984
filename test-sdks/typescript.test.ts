/** Clients in TypeScript: compiled strictly, without any library of Node. */
import { symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { test } from "vitest"
import { compileTypeScript, descriptionIn, openapiGenerator, place, tools, workFolder } from "./support/generation.ts"
import { programHouse } from "./support/programs.ts"
import { run } from "./support/running.ts"

const house = programHouse()

/** A folder of modules beside the libraries of the tools. */
const projectFolder = async (): Promise<string> => {
  const folder = await workFolder()
  await symlink(join(tools().npm, "node_modules"), join(folder, "node_modules"))
  await writeFile(join(folder, "package.json"), '{"type":"module"}')
  return folder
}

const toolPath = (...parts: ReadonlyArray<string>): string => join(tools().npm, "node_modules", ...parts)

const compileAndRun = async (folder: string, url: string, key: string): Promise<string> => {
  await compileTypeScript(folder, ["program.ts"])
  return run(process.execPath, [join(folder, "out", "program.js"), url, key])
}

test("openapi-typescript and openapi-fetch", async () => {
  const folder = await projectFolder()
  const input = await descriptionIn(folder, house.serverUrl)
  await run(process.execPath, [toolPath("openapi-typescript/bin/cli.js"), input, "-o", join(folder, "api.ts")])
  await place("openapi-fetch.ts", join(folder, "program.ts"))
  await house.expectRuns((url, key) => compileAndRun(folder, url, key))
})

test("openapi-generator: typescript-fetch", async () => {
  const folder = await projectFolder()
  const input = await descriptionIn(folder, house.serverUrl)
  const options = { importFileExtension: ".js" }
  await openapiGenerator(input, join(folder, "client"), { name: "typescript-fetch", options })
  await place("typescript-fetch.ts", join(folder, "program.ts"))
  await house.expectRuns((url, key) => compileAndRun(folder, url, key))
})
