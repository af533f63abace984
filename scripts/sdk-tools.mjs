/**
 * The toolchains of `npm run test:sdks`, or with the argument `languages` of `npm run test:languages`: looks for the programs, and
 * fetches tools and libraries of exact versions into a folder outside of the tree, once for each set of versions. Prints their places as
 * JSON. Exits 2 with a sentence where a program is missing or a tool cannot be fetched.
 */
import { execFile } from "node:child_process"
import { createHash, randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { cp, mkdir, readFile, rename, rm } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const root = fileURLToPath(new URL("../test-sdks/", import.meta.url))
const cache = join(homedir(), ".cache", "gathercue-sdks")
const GENERATOR = "7.25.0"
const OAPI_CODEGEN = "v2.8.2"
/** As much as a first fetch over a slow line takes. */
const DEADLINE_MS = 600_000

const run = (command, args, options = {}) =>
  promisify(execFile)(command, args, { timeout: DEADLINE_MS, maxBuffer: 64 * 1024 ** 2, ...options })

const [set = "sdks"] = process.argv.slice(2)

/** By the name in sentences: the command that shows that the program is here. */
const PROGRAMS = {
  ...(set === "sdks" && {
    "Go (go)": ["go", "version"],
    "a JDK (javac)": ["javac", "-version"],
    "Maven (mvn)": ["mvn", "-version"],
  }),
  "Python 3 with venv (python3)": ["python3", "-c", "import venv, ensurepip"],
}

const missing = async () => {
  const found = await Promise.all(
    Object.entries(PROGRAMS).map(([name, [command, ...args]]) =>
      run(command, args).then(
        () => [],
        () => [name],
      ),
    ),
  )
  return found.flat()
}

/** The folder of a tool, made once for the content of its files. */
const kept = async (name, files, make) => {
  const contents = await Promise.all(files.map((file) => readFile(join(root, file))))
  const hash = createHash("sha256").update(Buffer.concat(contents)).digest("hex").slice(0, 12)
  const folder = join(cache, `${name}-${hash}`)
  if (existsSync(folder)) return folder
  const partial = `${folder}-${randomUUID()}`
  await mkdir(partial, { recursive: true })
  try {
    await make(partial, folder)
    // Another run may have been faster.
    if (!existsSync(folder)) await rename(partial, folder)
  } catch (cause) {
    throw new Error(`The tools for ${name} cannot be fetched: ${cause.stderr || cause.message}`, { cause })
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
  return folder
}

const npm = () =>
  kept("npm", ["tools/package.json", "tools/package-lock.json"], async (folder) => {
    for (const file of ["package.json", "package-lock.json"]) await cp(join(root, "tools", file), join(folder, file))
    await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder })
  })

/**
 * Its programs name the folder that they were installed in, which is renamed: they are called as modules of its Python. The folder
 * `wheels` has what the client for Python needs.
 */
const python = () =>
  kept("python", ["tools/requirements.txt"], async (folder) => {
    const requirements = join(root, "tools/requirements.txt")
    const pip = (...args) => run(join(folder, "bin", "python"), ["-m", "pip", ...args])
    await run("python3", ["-m", "venv", "--copies", folder])
    await pip("install", "-q", "-r", requirements)
    await pip("download", "-q", "--no-deps", "-d", join(folder, "wheels"), "-c", requirements, "websockets")
  })

const java = () =>
  kept("java", ["tools/pom.xml"], async (folder) => {
    const target = [`-DoutputDirectory=${folder}`, "-f", join(root, "tools/pom.xml")]
    await run("mvn", ["-q", "-B", "dependency:copy-dependencies", ...target])
    const generator = `-Dartifact=org.openapitools:openapi-generator-cli:${GENERATOR}`
    await run("mvn", ["-q", "-B", "dependency:copy", generator, `-DoutputDirectory=${join(folder, "generator")}`])
  })

const go = () =>
  kept("go", ["tools/go.mod", "tools/go.sum"], async (folder) => {
    const tool = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@${OAPI_CODEGEN}`
    await run("go", ["install", tool], { env: { ...process.env, GOBIN: folder } })
    for (const file of ["go.mod", "go.sum"]) await cp(join(root, "tools", file), join(folder, file))
    await run("go", ["mod", "download"], { cwd: folder })
  })

const refuse = (sentence) => {
  console.error(sentence)
  process.exit(2)
}

const absent = await missing()
if (absent.length > 0) refuse(`test:${set} needs ${absent.join(", ")}, which this machine does not have.`)
try {
  const [npmFolder, pythonFolder] = [await npm(), await python()]
  const places = { npm: npmFolder, python: join(pythonFolder, "bin"), wheels: join(pythonFolder, "wheels") }
  if (set === "sdks") {
    places.java = await java()
    places.generator = join(places.java, "generator", `openapi-generator-cli-${GENERATOR}.jar`)
    places.go = await go()
  }
  console.log(JSON.stringify(places))
} catch (cause) {
  refuse(cause.message)
}
