/**
 * Properties of a body and parameters of a query that no schema names. They are ignored, so a misspelt field would have no effect and cause
 * no error: in development each answer names them. The names come from the client, so they are encoded and bounded.
 */
import { type Schema, SchemaAST } from "effect"
import type { HttpResponse } from "./message.ts"

export const IGNORED_HEADER = "x-gc-ignored"

const MOST_NAMES = 20
/** Maximum length of one encoded path. */
const MOST_CHARACTERS = 120
/** Marks a path or list that was truncated. */
const MORE = "..."

type Path = ReadonlyArray<string | number>

/** Alternatives of a type. */
const membersOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  if (ast._tag === "Union") return ast.types.flatMap(membersOf)
  return ast._tag === "Suspend" ? membersOf(ast.thunk()) : [ast]
}

const isObjects = (ast: SchemaAST.AST): ast is SchemaAST.Objects => ast._tag === "Objects"
const isArrays = (ast: SchemaAST.AST): ast is SchemaAST.Arrays => ast._tag === "Arrays"

/** Types that accept any object or array. */
const OPEN: ReadonlySet<SchemaAST.AST["_tag"]> = new Set(["Any", "Unknown", "ObjectKeyword", "Declaration"])

/** Types of the property; undefined when no alternative names it. */
const typesOf = (objects: ReadonlyArray<SchemaAST.Objects>, name: string): ReadonlyArray<SchemaAST.AST> | undefined => {
  const types = objects.flatMap(({ propertySignatures, indexSignatures }) => {
    const own = propertySignatures.filter((signature) => signature.name === name)
    return (own.length > 0 ? own : indexSignatures).map(({ type }) => type)
  })
  return types.length === 0 ? undefined : types
}

/** The recursion is bounded, because JSON from a body is shallow. */
function* unnamed(types: ReadonlyArray<SchemaAST.AST>, value: unknown, path: Path): Generator<Path> {
  if (typeof value !== "object" || value === null) return
  const members = types.flatMap(membersOf)
  if (members.some(({ _tag }) => OPEN.has(_tag))) return
  if (Array.isArray(value)) {
    const arrays = members.filter(isArrays)
    for (const [index, item] of value.entries()) {
      const itemTypes = arrays.flatMap(({ elements, rest }) => elements[index] ?? rest[0] ?? [])
      yield* unnamed(itemTypes, item, [...path, index])
    }
    return
  }
  const objects = members.filter(isObjects)
  if (objects.length === 0) return
  for (const [name, inner] of Object.entries(value)) {
    const found = typesOf(objects, name)
    if (found === undefined) yield [...path, name]
    else yield* unnamed(found, inner, [...path, name])
  }
}

/** `.` joins the parts of a path and `,` joins paths, so a name holds neither. An empty name is shown as a pair of quotes. */
const encodedName = (name: string | number): string =>
  name === "" ? '""' : encodeURIComponent(name).replaceAll(".", "%2E")

const encoded = (path: Path): string => {
  const text = path.map(encodedName).join(".")
  return text.length <= MOST_CHARACTERS ? text : text.slice(0, MOST_CHARACTERS).replace(/%[\dA-F]?$/, "") + MORE
}

/** Ignored property names of a body with this schema, at most one more than the header holds. */
export const ignoredProperties = (schema: Schema.Top): ((json: unknown) => ReadonlyArray<string>) => {
  const types = [SchemaAST.toEncoded(schema.ast)]
  return (json) => {
    const names: string[] = []
    for (const path of unnamed(types, json, [])) {
      names.push(encoded(path))
      if (names.length > MOST_NAMES) break
    }
    return names
  }
}

/** Ignored parameter names of a query with this schema, each prefixed with a question mark. `undefined` when no parameter is read. */
export const ignoredParameters = (schema: Schema.Top | undefined): ((query: string) => ReadonlyArray<string>) => {
  const known = schema === undefined ? [] : membersOf(SchemaAST.toEncoded(schema.ast)).filter(isObjects)
  return (query) => {
    const asked = query === "" ? [] : [...new Set(new URLSearchParams(query).keys())]
    return asked.filter((name) => typesOf(known, name) === undefined).map((name) => `?${encoded([name])}`)
  }
}

/** Header that names the ignored properties, or none. */
export const ignoredHeader = (names: ReadonlyArray<string>): HttpResponse["headers"] => {
  if (names.length === 0) return []
  const shown = names.length > MOST_NAMES ? [...names.slice(0, MOST_NAMES), MORE] : names
  return [[IGNORED_HEADER, shown.join(",")]]
}
