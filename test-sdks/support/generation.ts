/** A folder in which a client is generated from the served description, compiled, and run. */
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inject, onTestFinished } from "vitest"
import { run } from "./running.ts"
import type { Tools } from "./tools-setup.ts"

export const tools = (): Tools => inject("tools")

/** A folder of the test. */
export const workFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "gathercue-sdk-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** The description as it is served, in a file. */
export const descriptionIn = async (folder: string, serverUrl: string, name = "openapi.json"): Promise<string> => {
  const path = join(folder, name)
  await writeFile(path, await (await fetch(`${serverUrl}/v1/${name}`)).text())
  return path
}

const PROGRAMS = fileURLToPath(new URL("../programs/", import.meta.url))

/** Copies a program of the suite into the folder. */
export const place = async (program: string, path: string): Promise<void> => {
  await cp(join(PROGRAMS, program), path)
}

/** As strictly as the compiler can, without types of Node; into `out`. */
export const compileTypeScript = async (
  folder: string,
  include: ReadonlyArray<string>,
  more: { readonly [option: string]: string } = {},
): Promise<void> => {
  const options = { strict: true, skipLibCheck: true, target: "es2023", module: "nodenext", types: [], outDir: "out" }
  const lib = ["es2023", "dom", "dom.iterable"]
  const project = { compilerOptions: { ...options, lib, ...more }, include }
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(project))
  await run(process.execPath, [join(tools().npm, "node_modules/typescript/bin/tsc"), "-p", folder])
}

/** A program that runs once for seconds earns no second compilation of its code. */
export const JVM = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]

interface Generator {
  readonly name: string
  readonly library?: string
  readonly options?: { readonly [name: string]: string }
}

/** A client of openapi-generator. Its tests and documents are not written: only what is compiled. */
export const openapiGenerator = async (input: string, output: string, generator: Generator): Promise<void> => {
  const { name, library, options = {} } = generator
  const properties = Object.entries(options).map(([key, value]) => `${key}=${value}`)
  await run("java", [
    ...JVM,
    "-Xmx1g",
    "-jar",
    tools().generator,
    "generate",
    ...["-g", name, "-i", input, "-o", output],
    ...(library === undefined ? [] : ["--library", library]),
    ...(properties.length === 0 ? [] : ["--additional-properties", properties.join(",")]),
    ...[
      "--global-property",
      "apis,models,supportingFiles,apiTests=false,modelTests=false,apiDocs=false,modelDocs=false",
    ],
  ])
}
