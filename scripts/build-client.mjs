/**
 * Builds the client's package: readable modules with one file of types for each entry point, and the minified files that the
 * server gives to pages. An argument names another folder than `packages/client/dist`.
 */
import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import { minify as terser } from "terser"
import { typesOf } from "./client-types.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const source = join(root, "packages/client/src")
const [given = join(root, "packages/client/dist")] = process.argv.slice(2)
const target = resolve(given)

/** Entry points: the module, its file in the package, and its file on the server, if it has one. */
const ENTRIES = [
  { from: "entry", to: "index", served: "client" },
  { from: "media-entry", to: "media", served: "client-media" },
  { from: "react-entry", to: "react" },
]

/** An entry point refers to the main one as its users do, so that both share classes and types. */
const MAIN = ENTRIES[0]
const isMain = (id) => /(?:^|\/)entry\.ts$/.test(id)

/** A page has a WebSocket, so that its files leave out what Node needs. */
const forPages = {
  name: "for-pages",
  resolveId: (id) => (id.endsWith("/connection/socket.ts") ? join(source, "connection/page-socket.ts") : null),
}

const bundle = async ({ from }, file, main, minify) => {
  const input = join(source, `${from}.ts`)
  const made = await rolldown({
    input,
    cwd: root,
    platform: "neutral",
    logLevel: "warn",
    plugins: minify ? [forPages] : [],
    external: (id) => id === "react" || (from !== MAIN.from && isMain(id)),
  })
  await made.write({ file, format: "esm", minify, codeSplitting: false, paths: (id) => (isMain(id) ? main : id) })
  await made.close()
  if (!minify) return
  // It finds what the bundler leaves: a sixth of a kilobyte.
  const { code } = await terser(readFileSync(file, "utf8"), {
    module: true,
    // Comparisons as they are written compress better than with their constants in front.
    compress: { ecma: 2022, passes: 3, pure_getters: true, unsafe_arrows: true, lhs_constants: false },
    mangle: true,
  })
  writeFileSync(file, code)
}

execFileSync(process.execPath, [join(root, "scripts/client-contract.mjs")], { stdio: "inherit" })
/** The new build takes the place of the last one at once: a server that starts meanwhile reads one of the two. */
const folder = mkdtempSync(join(dirname(target), ".client-"))
try {
  const compiler = join(root, "node_modules/typescript/bin/tsc")
  const declarations = join(folder, "modules")
  const project = join(root, "packages/client")
  execFileSync(process.execPath, [compiler, "--project", project, "--outDir", declarations], { stdio: "inherit" })
  mkdirSync(join(folder, "served"))
  for (const entry of ENTRIES) {
    await bundle(entry, join(folder, `${entry.to}.js`), "./index.js", false)
    writeFileSync(join(folder, `${entry.to}.d.ts`), typesOf(declarations, entry.from, "./index.js"))
    if (entry.served === undefined) continue
    const served = join(folder, "served", entry.served)
    await bundle(entry, `${served}.js`, "./client.js", true)
    writeFileSync(`${served}.d.ts`, typesOf(declarations, entry.from, "./client.js"))
  }
  rmSync(declarations, { recursive: true })
  // A temporary folder is its maker's alone.
  chmodSync(folder, 0o755)
  rmSync(target, { recursive: true, force: true })
  renameSync(folder, target)
} catch (cause) {
  rmSync(folder, { recursive: true, force: true })
  throw cause
}
