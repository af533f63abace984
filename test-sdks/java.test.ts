/** Clients in Java, of two libraries. */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { test } from "vitest"
import { descriptionIn, JVM, openapiGenerator, place, tools, workFolder } from "./support/generation.ts"
import { programHouse } from "./support/programs.ts"
import { run } from "./support/running.ts"

const house = programHouse()

const PACKAGES = { invokerPackage: "client", apiPackage: "client.api", modelPackage: "client.model" }

const filesIn = async (folder: string): Promise<ReadonlyArray<string>> => {
  const names = await readdir(folder, { recursive: true })
  return names.filter((name) => name.endsWith(".java")).map((name) => join(folder, name))
}

/** Without Maven: its own work takes longer than the compiler's. */
const compileAndRun = async (library: string, program: string): Promise<void> => {
  const folder = await workFolder()
  const input = await descriptionIn(folder, house.serverUrl)
  await openapiGenerator(input, folder, {
    name: "java",
    library,
    options: { ...PACKAGES, hideGenerationTimestamp: "true" },
  })
  const main = `${program}.java`
  await place(main, join(folder, main))
  const classes = join(folder, "classes")
  const path = join(tools().java, "*")
  const sources = [...(await filesIn(join(folder, "src/main/java"))), join(folder, main)]
  await run("javac", [
    ...JVM.map((option) => `-J${option}`),
    "-nowarn",
    "-proc:none",
    "-cp",
    path,
    "-d",
    classes,
    ...sources,
  ])
  await house.expectRuns((url, key) => run("java", [...JVM, "-cp", `${classes}:${path}`, program, url, key]))
}

test("openapi-generator: java, native", () => compileAndRun("native", "Native"))

test("openapi-generator: java, okhttp-gson", () => compileAndRun("okhttp-gson", "OkHttp"))
