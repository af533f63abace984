/**
 * The compiler leaves some sources alone: SQL migrations and functions, HTML, CSS, the fonts of share cards and the guide of the help chat. They are copied
 * beside the compiled files. Copies whose source no longer exists are removed, because the server applies every migration that
 * it finds.
 */
import { cpSync, existsSync, readdirSync, rmSync, statSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("..", import.meta.url))

/** Milliseconds since 1970; 0 for what does not exist. */
export const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Folders of this name are written by the build, and have no source of the same name. */
const BUILT = /(?:^|[\\/])\w+-files[\\/]/

const assetsIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => !BUILT.test(name))
    .filter((name) => /\.(sql|html|css|md|otf|ttf)$/.test(name))
    .map((name) => join(folder, name))

/** Returns how many files were new or changed. */
export function copyAssets() {
  const compiled = join(root, "dist/src")
  for (const copy of existsSync(compiled) ? assetsIn(compiled) : []) {
    if (!existsSync(join(root, relative(join(root, "dist"), copy)))) rmSync(copy)
  }
  const stale = assetsIn(join(root, "src"))
    .map((from) => ({ from, to: join(root, "dist", relative(root, from)) }))
    .filter(({ from, to }) => modified(from) > modified(to))
  for (const { from, to } of stale) cpSync(from, to)
  return stale.length
}
