/**
 * The files of the client that say what the server takes and answers, as text. They are plain TypeScript, because users of the
 * client have no schema library; they are printed from the contracts, because two hand-written lists would drift apart.
 */

import type { Schema } from "effect"
import { Context, Option } from "effect"
import { HttpApi, type HttpApiEndpoint, OpenApi } from "effect/http-api"
import { METHODS, PREFIX } from "../../packages/client/src/route-table.ts"
import { Api } from "../../src/http/contract/api.ts"
import { PROBLEMS } from "../../src/http/contract/problem.ts"
import { COMMANDS, DISPATCHES } from "../../src/protocol/contract.ts"
import { type AnyDispatch, OptOut } from "../../src/protocol/dispatch.ts"
import { Ready } from "../../src/protocol/ready.ts"
import { ErrorFrame, HeartbeatAck, Hello, Reconnect, ReplyFrame } from "../../src/protocol/wire/frames.ts"
import { OP } from "../../src/protocol/wire/op.ts"
import { CONTRACT, RELEASE } from "../../src/protocol/wire/release.ts"
import type { Comments } from "./comments.ts"
import { contractComments, namedSchemas } from "./sources.ts"
import { braced, commented, mayBeEmpty, TypePrinter } from "./type-printer.ts"

const WRITTEN = "Generated from the contract by scripts/client-contract.mjs."
/** Types that the client uses by name, beside those of commands, dispatches and endpoints. */
const FRAMES = [OptOut, Ready, ErrorFrame, HeartbeatAck, Hello, Reconnect, ReplyFrame]

const file = (about: string, ...parts: ReadonlyArray<string>): string =>
  `${[`/** ${about} ${WRITTEN} */`, ...parts].join("\n")}\n`

const importing = (printer: TypePrinter, text: string): string => {
  const json = /\bJson\b/.test(text) ? ["Json"] : []
  const names = [...printer.namesIn(text), ...json].toSorted()
  return `import type {\n${names.map((name) => `  ${name},\n`).join("")}} from "./types.ts"\n\n${text}`
}

const quoted = (names: ReadonlyArray<string>): string => names.map((name) => `\n  | ${JSON.stringify(name)}`).join("")

interface Request {
  readonly members: ReadonlyArray<string>
  readonly isRequired: boolean
}

const oneOf = (types: ReadonlyArray<string>): string => [...new Set(types)].join(" | ")

const requestOf = (printer: TypePrinter, { params, query, payload }: HttpApiEndpoint.Top): Request => {
  const bodies = [...payload.values()].flatMap(({ schemas }) => schemas as ReadonlyArray<Schema.Top>)
  const parts: ReadonlyArray<readonly [string, ReadonlyArray<Schema.Top>]> = [
    ["params", params === undefined ? [] : [params]],
    ["query", query === undefined ? [] : [query]],
    ["payload", bodies],
  ]
  const given = parts.flatMap(([key, schemas]) => {
    if (schemas.length === 0) return []
    const isNeeded = schemas.some((schema) => !mayBeEmpty(schema))
    const type = oneOf(schemas.map((schema) => printer.type(schema)))
    return [{ text: `readonly ${key}${isNeeded ? "" : "?"}: ${type}`, isNeeded }]
  })
  return { members: given.map(({ text }) => text), isRequired: given.some(({ isNeeded }) => isNeeded) }
}

const methodsOf = (printer: TypePrinter): ReadonlyArray<string> => {
  const methods: string[] = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, successes }) => {
      const request = requestOf(printer, endpoint)
      const answer = oneOf([...successes.values()].flatMap((schemas) => schemas.map((schema) => printer.type(schema))))
      const given = `request${request.isRequired ? "" : "?"}: ${request.members.length === 0 ? "Record<never, never>" : braced(request.members)}`
      const summary = Option.getOrUndefined(Context.getOption(endpoint.annotations, OpenApi.Summary))
      methods.push(
        commented(
          summary === undefined ? undefined : `${summary}.`,
          `readonly ${endpoint.identifier}: (${given}, settings?: CallSettings) => Promise<${answer}>`,
        ),
      )
    },
  })
  return methods
}

/** Fewest paths that are shorter by a stem of their own. */
const FEWEST = 3

/** The path of an object, of the innermost one if it has a few paths, or else the first word: what the paths of a group have in common. */
const stemOf = (path: string, all: ReadonlyArray<string>): string => {
  const inner = /^.*\/:\w+/.exec(path)?.[0] ?? ""
  if (inner !== "" && all.filter((other) => /^.*\/:\w+/.exec(other)?.[0] === inner).length >= FEWEST) return inner
  return /^[^:]*\/:\w+/.exec(path)?.[0] ?? path.split("/")[0] ?? ""
}

/** The rows by their stems; each of those that follow a stem has the rest of its path alone. */
const shortened = (rows: ReadonlyArray<readonly [path: string, ends: string]>): ReadonlyArray<string> => {
  const groups = new Map<string, (readonly [path: string, ends: string])[]>()
  const all = rows.map(([path]) => path)
  for (const row of rows) groups.set(stemOf(row[0], all), [...(groups.get(stemOf(row[0], all)) ?? []), row])
  return Array.from(groups, ([stem, group]) => {
    const own = group.find(([path]) => path === stem)
    // Sorted rows have more in common with their neighbours, and compress better.
    const others = group.filter((row) => row !== own).toSorted(([one], [other]) => (one < other ? -1 : 1))
    // A stem without an endpoint has one without a name.
    return [own?.join(",") ?? `${stem},0`, ...others.map(([path, ends]) => `${path.slice(stem.length)},${ends}`)].join(
      "",
    )
  })
}

/**
 * A path with its endpoints: the place of a method before each name. A fifth of the client would be routes if they were written out.
 * A path that begins with a slash goes on from the last one that does not, and follows at once, because no name has a slash. A
 * comma precedes the others.
 */
const routes = (): string => {
  const paths = new Map<string, string[]>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { path, method, identifier } }) => {
      const place = METHODS.split(" ").indexOf(method)
      if (place === -1 || !path.startsWith(PREFIX)) throw new Error(`no route for ${method} ${path}`)
      const row = paths.get(path) ?? []
      paths.set(path, [...row, `${place}${identifier}`])
    },
  })
  const rows = shortened(Array.from(paths, ([path, ends]) => [path.slice(PREFIX.length), ends.join(",")] as const))
  return `export const ROUTES = \`${rows.join(",")}\``
}

const block = (head: string, members: ReadonlyArray<string>): string =>
  `${head} {\n${members.join("\n").replaceAll(/^(?=.)/gm, "  ")}\n}`

const commandsText = (printer: TypePrinter, comments: Comments): string =>
  block(
    "export interface Commands",
    Object.entries(COMMANDS).map(([name, { data, reply }]) =>
      commented(
        commentOf(comments, "COMMANDS", name),
        `readonly ${JSON.stringify(name)}: ${braced([`readonly data: ${printer.type(data)}`, `readonly reply: ${printer.type(reply)}`])}`,
      ),
    ),
  )

const dispatchesText = (printer: TypePrinter, comments: Comments): string =>
  block(
    "export interface Dispatches",
    Object.entries(DISPATCHES).map(([name, { data }]) =>
      commented(commentOf(comments, "DISPATCHES", name), `readonly ${JSON.stringify(name)}: ${printer.type(data)}`),
    ),
  )

/** Dispatches that change nothing are left out: no page loads their names. */
const changes = (): string => {
  const rows = Object.entries<AnyDispatch>(DISPATCHES).filter(([, dispatch]) => dispatch.changes.length > 0)
  return `export const CHANGES = {\n${rows
    .map(
      ([name, { changes: parts }]) =>
        `  ${/^\w+$/.test(name) ? name : JSON.stringify(name)}: ${JSON.stringify(parts).replaceAll(",", ", ")},`,
    )
    .join("\n")}\n} as const`
}

const commentOf = (comments: Comments, list: string, name: string): string | undefined =>
  [...comments].find(([path]) => path.endsWith(`${list}.${name}`))?.[1]

const JSON_TEXT = [
  "export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject",
  "export interface JsonObject {\n  readonly [key: string]: Json\n}",
].join("\n\n")

/** Text by file name, for the folder `client/src/contract/`. `sources` is the folder of the contract's sources, whose comments are read. */
export const clientContract = async (sources: URL): Promise<ReadonlyMap<string, string>> => {
  const comments = contractComments(sources)
  const printer = new TypePrinter(comments)
  for (const { name, schema } of await namedSchemas()) printer.name(name, schema)
  for (const frame of FRAMES) printer.type(frame)
  const commands = commandsText(printer, comments)
  const dispatches = dispatchesText(printer, comments)
  const rest = block("export interface RestClient", methodsOf(printer))
  const problems = `export type ProblemCode =${quoted(Object.keys(PROBLEMS))}`
  return new Map([
    [
      "types.ts",
      file("The values of REST and of the gateway.", "", [JSON_TEXT, problems, ...printer.declarations].join("\n\n")),
    ],
    [
      "commands.ts",
      file("Every command of the gateway, with its data and the data of its reply.", importing(printer, commands)),
    ],
    ["changes.ts", file("The parts of the state that each dispatch changes.", changes())],
    ["dispatches.ts", file("Every dispatch of the gateway, with its data.", importing(printer, dispatches))],
    [
      "rest.ts",
      file(
        "The REST client: one method per endpoint.",
        `import type { CallSettings } from "../rest-call.ts"\n${importing(printer, rest)}`,
      ),
    ],
    ["routes.ts", file("The endpoints of every path, each after the place of its method.", routes())],
    [
      "op.ts",
      file(
        "The kinds of object on a socket, the release, and the number by which client and server know that they fit together.",
        `export const RELEASE = ${JSON.stringify(RELEASE)}`,
        `export const CONTRACT = ${CONTRACT}`,
        `export const OP = ${JSON.stringify(OP, undefined, 2).replaceAll(/"(\w+)":/g, "$1:")} as const`,
      ),
    ],
  ])
}
