/**
 * Compiles into dist/, builds the client's package, the descriptions, the documentation and the pages, and copies the assets. When no input is newer than the last good build it only looks, so that
 * `npm start` pays nothing for it. Exits with the compiler's code when there are errors.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, cpSync, existsSync, readdirSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { copyAssets, modified, root } from "./assets.mjs"

const SOURCE_FOLDERS = [
  "src",
  "packages/client/src",
  "scripts/contract",
  // Of the tests, `chaos` and the demo share the support.
  "test/support",
  "chaos",
  "demo",
  "capacity",
]
const SETTINGS = ["package-lock.json", "tsconfig.json", "tsconfig.build.json"]
const INHERITED = { stdio: "inherit" }
const buildInfo = join(root, "dist/.tsbuildinfo")

/** Everything in a folder of the pages, but for what was installed or built. */
const sourcesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== "node_modules" && name !== "dist")
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? [path, ...sourcesIn(path)] : [path]
    })

/** Folders count too: a removed source changes only the time of its folder. */
const inputs = SOURCE_FOLDERS.map((folder) => join(root, folder))
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => [
    folder,
    ...readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory() || entry.name.endsWith(".ts"))
      .map((entry) => join(entry.parentPath, entry.name)),
  ])
  .concat(SETTINGS.map((file) => join(root, file)))

if (inputs.some((input) => modified(input) >= modified(buildInfo))) {
  const compiler = join(root, "node_modules/typescript/bin/tsc")
  if (!existsSync(compiler)) {
    console.error(
      "The sources are newer than the build, and the compiler is not installed: run npm ci with the development packages, or start what is built with node dist/src/main.js.",
    )
    process.exit(1)
  }
  const contract = spawnSync(process.execPath, [join(root, "scripts/client-contract.mjs")], INHERITED)
  if (contract.status !== 0) process.exit(contract.status ?? 1)
  const startedAt = new Date()
  const { status } = spawnSync(process.execPath, [compiler, "--project", join(root, "tsconfig.build.json")], INHERITED)
  const client =
    status === 0 ? spawnSync(process.execPath, [join(root, "scripts/build-client.mjs")], INHERITED).status : 0
  const program = join(root, "dist/src/app/write-descriptions.js")
  const descriptions =
    status === 0
      ? spawnSync(process.execPath, [program, join(root, "dist/src/description-files")], INHERITED).status
      : 0
  const isBuilt = status === 0 && client === 0 && descriptions === 0
  // A failed build must not count as the last good one; a change while the compiler ran must count as newer.
  if (existsSync(buildInfo)) utimesSync(buildInfo, startedAt, isBuilt ? startedAt : 0)
  if (!isBuilt) process.exit(status || client || descriptions || 1)
  // The server gives these to pages, and where it is deployed there is nothing but dist/src.
  cpSync(join(root, "packages/client/dist/served"), join(root, "dist/src/client-files"), { recursive: true })
}
copyAssets()

const docsFolder = join(root, "dist/src/docs-files")
const docsInputs = ["ARCHITECTURE.md", "docs", "scripts/build-docs.mjs", "scripts/docs-pages.mjs"].map((name) =>
  join(root, name),
)
const pages = readdirSync(join(root, "docs"), { recursive: true }).map((name) => join(root, "docs", name))
if ([...docsInputs, ...pages].some((input) => modified(input) >= modified(join(docsFolder, "llms-full.txt")))) {
  // Its library is loaded only where there is something to build.
  const { buildDocs } = await import("./build-docs.mjs")
  buildDocs(docsFolder)
}

const webFolder = join(root, "dist/src/web-files")
const webInputs = ["packages/web", "packages/client/src"]
  .flatMap((name) => sourcesIn(join(root, name)))
  .concat(join(root, "src/model/shades.ts"))
if (webInputs.some((input) => modified(input) >= modified(join(webFolder, "attendee.html")))) {
  const { buildWeb } = await import("./build-web.mjs")
  await buildWeb(webFolder)
}
// The command of the package: npm makes it executable where it installs it, and here nobody does.
chmodSync(join(root, "dist/src/main.js"), 0o755)
