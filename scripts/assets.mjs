/** What the compiler leaves alone, SQL migrations, HTML, CSS and the guide of the help chat, is copied beside the compiled files. */
import { cpSync, readdirSync, statSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("..", import.meta.url))

/** Milliseconds since 1970; 0 for what does not exist. */
export const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Returns how many files were new or changed. */
export function copyAssets() {
  const stale = readdirSync(join(root, "src"), { recursive: true })
    .filter((name) => /\.(sql|html|css|md)$/.test(name))
    .map((name) => join(root, "src", name))
    .map((from) => ({ from, to: join(root, "dist", relative(root, from)) }))
    .filter(({ from, to }) => modified(from) > modified(to))
  for (const { from, to } of stale) cpSync(from, to)
  return stale.length
}
