/** Looks for Python and fetches the tools before any test, so that a missing one is said once and plainly. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"

/** Folders of the tools. */
export interface LanguageTools {
  readonly npm: string
  readonly python: string
  /** What the client for Python needs, to be installed from there. */
  readonly wheels: string
}

declare module "vitest" {
  interface ProvidedContext {
    readonly languageTools: LanguageTools
  }
}

const SCRIPT = fileURLToPath(new URL("../../scripts/sdk-tools.mjs", import.meta.url))

export default function setup(project: TestProject): void {
  const { stdout, stderr, status } = spawnSync(process.execPath, [SCRIPT, "languages"], { encoding: "utf8" })
  if (status !== 0) throw new Error(stderr)
  project.provide("languageTools", JSON.parse(stdout) as LanguageTools)
}
