/**
 * The properties of a body and the parameters of a query that no schema names. They are ignored, so a misspelt field would be without
 * effect and without an error: in development each answer names them. The names are a client's text, so they are encoded and bounded.
 */
import { type Schema, SchemaAST } from "effect"
import type { HttpResponse } from "./message.ts"

export const IGNORED_HEADER = "x-gc-ignored"

const MOST_NAMES = 20
/** Characters of one path, encoded. */
const MOST_CHARACTERS = 120
/** Ends a path, or the list, that was cut. */
const MORE = "..."

type Path = ReadonlyArray<string | number>

/** The alternatives of a type. */
const membersOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  if (ast._tag === "Union") return ast.types.flatMap(membersOf)
  return ast._tag === "Suspend" ? membersOf(ast.thunk()) : [ast]
}

const isObjects = (ast: SchemaAST.AST): ast is SchemaAST.Objects => ast._tag === "Objects"
const isArrays = (ast: SchemaAST.AST): ast is SchemaAST.Arrays => ast._tag === "Arrays"

/** Types that any object or array belongs to. */
const OPEN: ReadonlySet<SchemaAST.AST["_tag"]> = new Set(["Any", "Unknown", "ObjectKeyword", "Declaration"])

/** Types of the property; undefined when no alternative names it. */
const typesOf = (objects: ReadonlyArray<SchemaAST.Objects>, name: string): ReadonlyArray<SchemaAST.AST> | undefined => {
  const types = objects.flatMap(({ propertySignatures, indexSignatures }) => {
    const own = propertySignatures.filter((signature) => signature.name === name)
    return (own.length > 0 ? own : indexSignatures).map(({ type }) => type)
  })
  return types.length === 0 ? undefined : types
}

/** JSON from a body is shallow, so the recursion ends. */
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

/** For bodies of this schema: the names of what is ignored of one, one more than the header holds at most. */
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

/** For queries of this schema: the same, each with a question mark before it. `undefined`: no parameter is read. */
export const ignoredParameters = (schema: Schema.Top | undefined): ((query: string) => ReadonlyArray<string>) => {
  const known = schema === undefined ? [] : membersOf(SchemaAST.toEncoded(schema.ast)).filter(isObjects)
  return (query) => {
    const asked = query === "" ? [] : [...new Set(new URLSearchParams(query).keys())]
    return asked.filter((name) => typesOf(known, name) === undefined).map((name) => `?${encoded([name])}`)
  }
}

/** The header that names what was ignored, or none. */
export const ignoredHeader = (names: ReadonlyArray<string>): HttpResponse["headers"] => {
  if (names.length === 0) return []
  const shown = names.length > MOST_NAMES ? [...names.slice(0, MOST_NAMES), MORE] : names
  return [[IGNORED_HEADER, shown.join(",")]]
}
