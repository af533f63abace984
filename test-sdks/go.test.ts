/** Clients in Go. */
import { cp, mkdir } from "node:fs/promises"
import { join } from "node:path"
import { test } from "vitest"
import { descriptionIn, openapiGenerator, place, tools, workFolder } from "./support/generation.ts"
import { programHouse } from "./support/programs.ts"
import { run } from "./support/running.ts"

const house = programHouse()

/** A module with the libraries of the clients. */
const moduleFolder = async (): Promise<string> => {
  const folder = await workFolder()
  for (const file of ["go.mod", "go.sum"]) await cp(join(tools().go, file), join(folder, file))
  await mkdir(join(folder, "client"))
  return folder
}

const buildAndRun = async (folder: string, program: string): Promise<void> => {
  await place(program, join(folder, "main.go"))
  await run("go", ["build", "-o", "program", "."], { cwd: folder })
  await house.expectRuns((url, key) => run(join(folder, "program"), [url, key]))
}

test("oapi-codegen", async () => {
  const folder = await moduleFolder()
  const input = await descriptionIn(folder, house.serverUrl)
  const output = ["-package", "client", "-o", join(folder, "client", "client.go")]
  await run(join(tools().go, "oapi-codegen"), ["-generate", "types,client", ...output, input])
  await buildAndRun(folder, "oapi.go")
})

test("openapi-generator: go", async () => {
  const folder = await moduleFolder()
  const input = await descriptionIn(folder, house.serverUrl)
  // Values of different sets may be the same word, and constants of Go have no class.
  const options = { packageName: "client", withGoMod: "false", enumClassPrefix: "true" }
  await openapiGenerator(input, join(folder, "client"), { name: "go", options })
  await buildAndRun(folder, "openapi_generator.go")
})
