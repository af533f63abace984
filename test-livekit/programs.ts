/** Before the suite: the programs that it needs, or a sentence that says which one is missing. */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"
import { CHROMIUM } from "../test-browser/chromium.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly livekitProgram: string
  }
}

const BUILD = fileURLToPath(new URL("../scripts/build-go-program.mjs", import.meta.url))

export default function setup(project: TestProject): void {
  if (!existsSync(CHROMIUM)) {
    throw new Error(
      `Tests beside LiveKit need Chromium (Debian: chromium-headless-shell), and there is no ${CHROMIUM}.`,
    )
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [BUILD, "livekit-server"], { encoding: "utf8" })
  if (status !== 0) throw new Error(stderr.trim())
  project.provide("livekitProgram", stdout.trim())
}
