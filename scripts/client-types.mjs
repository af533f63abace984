/**
 * The types of an entry point as one file: the declarations that its exports need, one after the other. Bundlers of declarations need
 * the compiler's programming interface, which TypeScript 7.0 does not have. The client's modules give each name to one thing alone
 * and rename no import, so their declarations stand side by side as they are; anything else ends the build.
 */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseAst } from "rolldown/parseAst"

const MAIN = "entry"

const fail = (module, text) => {
  throw new Error(`${module}.d.ts: ${text}`)
}

/** A declaration's names: one, but for `const` with several. */
const namesOf = ({ declarations, id }) => declarations?.map((one) => one.id.name) ?? [id.name]

const importedName = (module, { type, imported, exported, local }) => {
  const outside = (imported ?? exported)?.name
  if (type !== "ImportSpecifier" && type !== "ExportSpecifier") fail(module, "imports more than names")
  if (outside !== local.name) fail(module, `renames ${outside}`)
  return local.name
}

/** An import, or an export of another module's names. `names` is absent for all of them. */
const link = (module, { type, source, specifiers }) => ({
  isExport: type !== "ImportDeclaration",
  from: source.value.startsWith(".") ? join(dirname(module), source.value).replace(/\.(?:ts|js)$/, "") : undefined,
  specifier: source.value,
  names: type === "ExportAllDeclaration" ? undefined : specifiers.map((one) => importedName(module, one)),
})

/** One module: its links to others, and its declarations with their comments and without `export`. */
function read(folder, module) {
  const text = readFileSync(join(folder, `${module}.d.ts`), "utf8")
  const links = []
  const declarations = []
  let end = 0
  for (const statement of parseAst(text, { lang: "dts" }).body) {
    const comment = text.slice(end, statement.start).trim()
    end = statement.end
    const isExport = statement.type === "ExportNamedDeclaration"
    const declaration = isExport ? statement.declaration : statement
    if (statement.source) links.push(link(module, statement))
    else if (declaration !== null) {
      const code = text.slice(declaration.start, declaration.end)
      declarations.push({ module, names: namesOf(declaration), code, comment, isExport })
    }
  }
  return { links, declarations }
}

/** The entry's modules by name, itself first, and the names that they import from elsewhere by place. */
function collect(folder, entry, main) {
  const modules = new Map()
  const outside = new Map()
  const isInside = (from) => from !== undefined && (from !== MAIN || entry === MAIN)
  const open = [entry]
  for (let module = open.shift(); module !== undefined; module = open.shift()) {
    if (modules.has(module)) continue
    const one = read(folder, module)
    modules.set(module, one)
    open.push(...one.links.map(({ from }) => from).filter(isInside))
    for (const { from, specifier, names } of one.links.filter((other) => !isInside(other.from))) {
      for (const name of names) outside.set(name, from === undefined ? specifier : main)
    }
  }
  return { modules, outside }
}

/** Each declaration by its names. */
function byName(modules) {
  const owners = new Map()
  for (const declaration of [...modules.values()].flatMap(({ declarations }) => declarations)) {
    for (const name of declaration.names) {
      if (owners.has(name)) fail(declaration.module, `declares ${name}, as ${owners.get(name).module}.d.ts does`)
      owners.set(name, declaration)
    }
  }
  return owners
}

const publicNames = (modules, entry) => {
  const { links, declarations } = modules.get(entry)
  const own = declarations.filter(({ isExport }) => isExport).flatMap(({ names }) => names)
  const others = links
    .filter(({ isExport }) => isExport)
    .flatMap(({ from, names }) => names ?? modules.get(from).declarations.flatMap((one) => one.names))
  return new Set([...own, ...others])
}

const wordsOf = (code) => new Set(code.replaceAll(/\/\*.*?\*\//gs, "").match(/[A-Za-z_$][\w$]*/g))

/** The names, and all that their declarations mention. */
function needed(names, owners, outside) {
  const found = new Set()
  const open = [...names]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue
    found.add(name)
    const { code = "", names: same = [] } = owners.get(name) ?? {}
    open.push(...same, ...[...wordsOf(code)].filter((word) => owners.has(word) || outside.has(word)))
  }
  return found
}

/** The text of `<entry>.d.ts`. `main`: how another entry point refers to the main one. */
export function typesOf(folder, entry, main) {
  const { modules, outside } = collect(folder, entry, main)
  const owners = byName(modules)
  for (const name of outside.keys()) if (owners.has(name)) fail(entry, `imports ${name}, which it declares too`)
  const open = publicNames(modules, entry)
  const used = needed(open, owners, outside)
  const imports = Array.from(outside, ([name, place]) => [name, place])
    .filter(([name]) => used.has(name))
    .map(([name, place]) => `import type { ${name} } from "${place}";`)
  const parts = [...new Set(owners.values())]
    .filter(({ names }) => names.some((name) => used.has(name)))
    .map(({ names, code, comment }) => {
      const text = names.some((name) => open.has(name)) ? `export ${code}` : code
      return comment === "" ? text : `${comment}\n${text}`
    })
  return `${[...imports, ...parts, "export {};"].join("\n")}\n`
}
