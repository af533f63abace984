/**
 * Schemas as TypeScript types: the text of the client's own types, which need no schema library. A schema that is exported by a
 * name is printed once, under that name, and every other schema refers to it.
 */
import { SchemaAST as AST, Schema } from "effect"
import type { Comments } from "./comments.ts"

/** Names that stand for the whole of JSON, which is recursive. */
const JSON_TYPES = new Map<AST.AST, string>([
  [Schema.Json.ast, "Json"],
  [Schema.JsonObject.ast, "JsonObject"],
])

const PLAIN: { readonly [tag: string]: string } = {
  String: "string",
  Number: "number",
  Boolean: "boolean",
  Null: "null",
  Undefined: "undefined",
  Void: "void",
  Never: "never",
  Unknown: "unknown",
}

const MOST_COLUMNS = 110

const keyOf = (name: PropertyKey): string =>
  /^[A-Za-z_$][\w$]*$/.test(String(name)) ? String(name) : JSON.stringify(name)

export const commented = (comment: string | undefined, text: string): string =>
  comment === undefined ? text : `/** ${comment} */\n${text}`

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, "  ")

/** Members on one line where they fit, otherwise each on its own. */
export const braced = (members: ReadonlyArray<string>): string => {
  const line = `{ ${members.join("; ")} }`
  if (members.length === 0) return "{}"
  return line.includes("\n") || line.length > MOST_COLUMNS ? `{\n${indented(members.join("\n"))}\n}` : line
}

type Inner = (ast: AST.AST) => string

const templatePart = (ast: AST.AST): string =>
  ast._tag === "Literal" ? String(ast.literal) : `\${${PLAIN[ast._tag] ?? "string"}}`

const arrayText = ({ elements, rest, isMutable }: AST.Arrays, inner: Inner): string => {
  const [item] = rest
  if (elements.length === 0 && item !== undefined) return `${isMutable ? "Array" : "ReadonlyArray"}<${inner(item)}>`
  const parts = elements.map((element) => `${inner(element)}${AST.isOptional(element) ? "?" : ""}`)
  const tail = item === undefined ? [] : [`...${inner(item)}[]`]
  return `readonly [${[...parts, ...tail].join(", ")}]`
}

const indexText = ({ indexSignatures }: AST.Objects, inner: Inner): ReadonlyArray<string> =>
  indexSignatures.map(({ type }) => `readonly [key: string]: ${inner(type)}`)

/** Is an object without any member such a value? */
export const mayBeEmpty = ({ ast }: Schema.Top): boolean =>
  ast._tag === "Objects" && ast.propertySignatures.every(({ type }) => AST.isOptional(type))

/** A name for less than two members says less than the members do. */
const isWorthAName = (ast: AST.AST): boolean =>
  (ast._tag === "Objects" && ast.propertySignatures.length > 1) || (ast._tag === "Union" && ast.types.length > 1)

export class TypePrinter {
  readonly #comments: Comments
  /** The names of schemas by their type without any name. */
  readonly #names = new Map<string, string>()
  readonly #schemas = new Map<string, AST.AST>()
  readonly #keys = new Map<AST.AST, string>()
  readonly #printed = new Map<string, string>()

  constructor(comments: Comments) {
    this.#comments = comments
  }

  /** From here on the schema is referred to by this name. A name that another type has already is not taken. */
  name(name: string, schema: Schema.Top): void {
    const ast = AST.toType(schema.ast)
    if (!isWorthAName(ast)) return
    const key = this.#key(ast)
    if (this.#names.has(key) || this.#schemas.has(name)) return
    this.#names.set(key, name)
    this.#schemas.set(name, ast)
  }

  /** The type of a schema's decoded value. Names that it refers to become part of `declarations`. */
  type(schema: Schema.Top): string {
    return this.#reference(AST.toType(schema.ast))
  }

  /** The named types that were referred to, in the order of their names. */
  get declarations(): ReadonlyArray<string> {
    return Array.from(this.#printed, ([name, text]): readonly [string, string] => [name, text])
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, text]) => text)
  }

  get names(): ReadonlyArray<string> {
    return [...this.#printed.keys()].toSorted()
  }

  /** The names in a text that were given to types. */
  namesIn(text: string): ReadonlyArray<string> {
    return this.names.filter((name) =>
      new RegExp(`(?<![.\\w"])${name}(?![\\w"])`).test(text.replaceAll(/\/\*\*.*?\*\//g, "")),
    )
  }

  readonly #reference = (ast: AST.AST): string => {
    const name = this.#names.get(this.#key(ast))
    if (name === undefined) return this.#structure(ast, this.#reference)
    this.#declare(name)
    return name
  }

  #declare(name: string): void {
    const ast = this.#schemas.get(name)
    if (ast === undefined || this.#printed.has(name)) return
    // The name is taken before its body is printed, so that a body may refer to it.
    this.#printed.set(name, "")
    const body = this.#structure(ast, this.#reference, name)
    const isInterface = ast._tag === "Objects" && ast.indexSignatures.length === 0
    const text = isInterface ? `export interface ${name} ${body}` : `export type ${name} = ${body}`
    this.#printed.set(name, commented(this.#comments.get(name), text))
  }

  #key(ast: AST.AST): string {
    const known = this.#keys.get(ast)
    if (known !== undefined) return known
    const key = this.#structure(ast, (inner) => this.#key(inner))
    this.#keys.set(ast, key)
    return key
  }

  #structure(ast: AST.AST, inner: Inner, name?: string): string {
    const json = JSON_TYPES.get(ast)
    if (json !== undefined) return json
    switch (ast._tag) {
      case "Literal":
        return JSON.stringify(ast.literal)
      case "TemplateLiteral":
        return `\`${ast.parts.map(templatePart).join("")}\``
      case "Arrays":
        return arrayText(ast, inner)
      case "Union":
        return ast.types.length === 0 ? "never" : ast.types.map(inner).join(" | ")
      case "Objects":
        return this.#object(ast, inner, name)
      default: {
        const plain = PLAIN[ast._tag]
        if (plain === undefined) throw new Error(`the client has no type for a schema of the kind ${ast._tag}`)
        return plain
      }
    }
  }

  /** A rest of other keys is a part of its own: the named keys may have types that the rest does not allow. */
  #object(ast: AST.Objects, inner: Inner, name: string | undefined): string {
    const members = ast.propertySignatures.map(({ name: key, type }) => {
      const text = `readonly ${keyOf(key)}${AST.isOptional(type) ? "?" : ""}: ${inner(type)}`
      return name === undefined ? text : commented(this.#comments.get(`${name}.${String(key)}`), text)
    })
    const rest = indexText(ast, inner)
    const parts = [
      ...(members.length > 0 || rest.length === 0 ? [braced(members)] : []),
      ...rest.map((one) => braced([one])),
    ]
    return parts.join(" & ")
  }
}
