/** The loader of `hook.mjs`: puts a call at the beginning of every function of the server's compiled sources. */
import { parseAst } from "rolldown/parseAst"

const SOURCES = /\/dist\/(src\/.+)\.js$/

function* functionsOf(node) {
  if (typeof node !== "object" || node === null) return
  if (/Function/.test(node.type ?? "") && node.body) yield node
  for (const child of Object.values(node)) yield* functionsOf(child)
}

/** Where the body of a function begins, behind its directives and, in a constructor, behind nothing that `super` must precede. */
const report = (file, at) => `globalThis.__entered?.(${JSON.stringify(file)},${at});`

export const load = async (url, context, next) => {
  const loaded = await next(url, context)
  const [, file] = SOURCES.exec(url) ?? []
  if (file === undefined || loaded.source == null) return loaded
  let text = String(loaded.source)
  const inserts = []
  for (const { body, start } of functionsOf(parseAst(text).body)) {
    if (body.type === "BlockStatement") inserts.push([body.start + 1, report(`${file}.ts`, start)])
    else inserts.push([body.start, `(${report(`${file}.ts`, start).slice(0, -1)},(`], [body.end, "))"])
  }
  // At one place the end of an inner function comes before that of the outer one.
  inserts.sort(([a], [b]) => b - a)
  for (const [at, inserted] of inserts) text = text.slice(0, at) + inserted + text.slice(at)
  return { ...loaded, source: text }
}
