/** Clients in Python. */
import { join } from "node:path"
import { test } from "vitest"
import { descriptionIn, openapiGenerator, place, tools, workFolder } from "./support/generation.ts"
import { programHouse } from "./support/programs.ts"
import { run } from "./support/running.ts"

const house = programHouse()

const runProgram = async (folder: string, program: string): Promise<void> => {
  await place(program, join(folder, "program.py"))
  await house.expectRuns((url, key) => run(join(tools().python, "python"), ["program.py", url, key], { cwd: folder }))
}

test("openapi-python-client", async () => {
  const folder = await workFolder()
  const input = await descriptionIn(folder, house.serverUrl)
  const output = ["--meta", "none", "--output-path", join(folder, "client")]
  await run(join(tools().python, "python"), ["-m", "openapi_python_client", "generate", "--path", input, ...output])
  await runProgram(folder, "openapi_python_client.py")
})

test("openapi-generator: python", async () => {
  const folder = await workFolder()
  const input = await descriptionIn(folder, house.serverUrl)
  await openapiGenerator(input, folder, { name: "python", options: { packageName: "client" } })
  await runProgram(folder, "openapi_generator.py")
})
