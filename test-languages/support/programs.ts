/** Programs of the suite, and the tools that it runs. */
import { cp } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inject } from "vitest"
import { temporaryFolder } from "../../test/support/temporary-folder.ts"
import { run } from "../../test-sdks/support/running.ts"

export const ROOT = fileURLToPath(new URL("../..", import.meta.url))

export const inPackages = (...path: ReadonlyArray<string>): string => join(ROOT, "packages", ...path)

/** Runs a module of the Python that has the tools. */
export const pythonTool = (cwd: string, ...args: ReadonlyArray<string>): Promise<string> =>
  run(join(inject("languageTools").python, "python"), ["-m", ...args], { cwd })

interface PythonHouse {
  /** Has the sources in `python` and the built packages in `python/dist`. */
  readonly folder: string
  /** A Python in which nothing but the package and what it needs is installed. */
  readonly python: string
}

/** Builds the client for Python, and installs its wheel in an environment of its own. */
export const installPython = async (whenFinished: Parameters<typeof temporaryFolder>[0]): Promise<PythonHouse> => {
  const folder = await temporaryFolder(whenFinished)
  const source = { recursive: true, filter: (path: string) => !path.endsWith("__pycache__") }
  await cp(inPackages("python"), join(folder, "python"), source)
  await pythonTool(join(folder, "python"), "hatchling", "build")
  await run("python3", ["-m", "venv", join(folder, "environment")])
  const python = join(folder, "environment/bin/python")
  const wheel = join(folder, "python/dist/gathercue-0.1.0-py3-none-any.whl")
  const offline = ["--no-index", "--find-links", inject("languageTools").wheels]
  await run(python, ["-m", "pip", "install", "-q", ...offline, wheel])
  return { folder, python }
}
