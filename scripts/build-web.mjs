/** Builds the pages of `packages/web` into a folder, which the server sends. */
import { rmSync } from "node:fs"
import { fileURLToPath } from "node:url"

const project = fileURLToPath(new URL("../packages/web", import.meta.url))

export async function buildWeb(folder) {
  // Loaded only where there is something to build.
  const { build } = await import("vite")
  // Vite takes React's slow build under any other value, such as that of a test run.
  process.env.NODE_ENV = "production"
  // A build that fails must not count as the last good one.
  rmSync(folder, { recursive: true, force: true })
  await build({
    configFile: `${project}/vite.config.ts`,
    logLevel: "warn",
    mode: "production",
    build: { outDir: folder, emptyOutDir: true },
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildWeb(process.argv[2])
