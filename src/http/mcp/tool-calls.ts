/** Calls of tools: each is a request of REST, served in this process by the steps that serve all requests of its endpoint. */
import { Effect } from "effect"
import { newId } from "../../model/ids.ts"
import type { Serve } from "../requests/serve.ts"
import type { HttpRequest, HttpResponse } from "../transport/message.ts"
import type { Params } from "./messages.ts"
import type { Argument, Tool } from "./tools.ts"

/** Maximum number of characters of an answer: about as much as clients pass on to a model. */
const LONGEST_ANSWER = 131_072

/** An endpoint as tools call it. */
export interface Endpoint<Services> {
  readonly method: string
  /** Path with `:name` parameters. */
  readonly path: string
  readonly serve: Serve<Services>
  readonly rehearse: (decides: boolean) => Serve<Services>
}

interface ToolResult {
  readonly content: ReadonlyArray<{ readonly type: "text"; readonly text: string }>
  readonly structuredContent?: unknown
  readonly isError?: true
}

export const toolError = (text: string): ToolResult => ({ content: [{ type: "text", text }], isError: true })

/** `short` replaces a value that is too long. */
const toolResult = (value: unknown, short?: object): ToolResult => {
  const text = JSON.stringify(value)
  if (text.length <= LONGEST_ANSWER) return { content: [{ type: "text", text }], structuredContent: value }
  const omitted = `The answer is too long for a tool (${text.length} characters of at most ${LONGEST_ANSWER}).`
  return short === undefined
    ? toolError(`${omitted} Ask for less, such as a page with a smaller limit.`)
    : toolResult({ ...short, omitted })
}

/** A number beyond what the engine can hold would be sent on as null, which removes a limit. */
const hasFiniteNumbers = (value: unknown): boolean => {
  if (typeof value === "object" && value !== null) return Object.values(value).every(hasFiniteNumbers)
  return typeof value !== "number" || Number.isFinite(value)
}

/** The rule for values of each place. The endpoint checks the body by the contract. */
const RULES: { readonly [P in Argument["place"]]: readonly [rule: (value: unknown) => boolean, words: string] } = {
  path: [(value) => typeof value === "string" && value !== "", "an id"],
  query: [(value) => ["string", "number", "boolean"].includes(typeof value), "a text or a number"],
  body: [hasFiniteNumbers, "without numbers beyond 1.8e308"],
  dryRun: [(value) => typeof value === "boolean", "true or false"],
  key: [(value) => typeof value === "string", "a text"],
}

/** The reason why the arguments make no request; undefined when they do. */
const faultIn = ({ definition: { name }, places }: Tool, args: Params): string | undefined => {
  for (const [argument, value] of Object.entries(args)) {
    const place = places.get(argument)?.place
    if (place === undefined)
      return `${name} has no argument "${argument.slice(0, 64)}": it takes ${[...places.keys()].join(", ")}.`
    const [rule, words] = RULES[place]
    if (!rule(value)) return `${argument} must be ${words}.`
  }
  const missing = [...places.values()].filter(({ argument, required }) => required && args[argument] === undefined)
  return missing.length === 0 ? undefined : `${name} needs ${missing.map(({ argument }) => argument).join(", ")}.`
}

/** The request that the call makes. */
interface Made {
  readonly method: string
  readonly path: string
  readonly params: { readonly [name: string]: string }
  readonly query: string
  readonly body: Params | undefined
}

const requestOf = (
  { places, hasBody }: Tool,
  { method, path }: Pick<Endpoint<never>, "method" | "path">,
  args: Params,
): Made => {
  const given = [...places.values()].flatMap(({ argument, place, name }) =>
    args[argument] === undefined ? [] : [{ place, name, value: args[argument] }],
  )
  const texts = (of: "path" | "query") =>
    Object.fromEntries(given.flatMap(({ place, name, value }) => (place === of ? [[name, String(value)]] : [])))
  const params = texts("path")
  return {
    method,
    path: path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? "")),
    params,
    query: new URLSearchParams(texts("query")).toString(),
    body: hasBody
      ? Object.fromEntries(given.flatMap(({ place, name, value }) => (place === "body" ? [[name, value]] : [])))
      : undefined,
  }
}

/** Headers that count for a call: who calls, and from which program. */
const CALLER = ["x-api-key", "authorization", "user-agent", "traceparent"]

const headersOf = (outer: HttpRequest["headers"], { body }: Made, key: string | undefined): HttpRequest["headers"] => ({
  ...Object.fromEntries(CALLER.flatMap((name) => (outer[name] === undefined ? [] : [[name, outer[name]]]))),
  ...(body && { "content-type": "application/json" }),
  ...(key !== undefined && { "idempotency-key": key }),
})

const bodyOf = ({ body }: HttpResponse): unknown =>
  body.length === 0 ? {} : JSON.parse(Buffer.from(body).toString("utf8"))

/** The problem of a refusal, without the address of its explanation. */
const refusalOf = (response: HttpResponse): object => {
  const { type: _, ...problem } = bodyOf(response) as { readonly type?: unknown }
  const wait = response.headers.find(([name]) => name === "retry-after")?.[1]
  return { ...problem, ...(wait !== undefined && { retryAfterSeconds: Number(wait) }) }
}

/** A tool's call by an authenticated request. */
export const callTool = <Services>(
  tool: Tool,
  endpoint: Endpoint<Services>,
  args: Params,
  outer: HttpRequest,
): Effect.Effect<ToolResult, never, Effect.Services<ReturnType<Serve<Services>>>> => {
  const fault = faultIn(tool, args)
  if (fault !== undefined) return Effect.succeed(toolError(fault))
  const made = requestOf(tool, endpoint, args)
  const isDry = args["dryRun"] === true
  const named = args["idempotencyKey"] ?? (isDry ? undefined : `mcp-${newId()}`)
  const key = tool.isRepeatable && named !== undefined ? String(named) : undefined
  const { method, path, params, query, body } = made
  const request: HttpRequest = {
    ...outer,
    method,
    path,
    params,
    query,
    headers: headersOf(outer.headers, made, key),
    body: Buffer.from(body === undefined ? "" : JSON.stringify(body)),
  }
  const serve = isDry ? endpoint.rehearse(tool.isDecided) : endpoint.serve
  return Effect.map(serve(request), (response) => {
    const isDone = response.status < 300
    if (isDry) {
      const sends = { method, path, ...(body && { body }) }
      const outcome = { dryRun: true, can: isDone, ...(!isDone && { refusal: refusalOf(response) }) }
      const wouldAnswer = isDone && tool.isDecided ? { wouldAnswer: bodyOf(response) } : {}
      return toolResult({ ...outcome, sends, ...wouldAnswer }, outcome)
    }
    if (!isDone) return toolError(JSON.stringify(refusalOf(response)))
    if (!tool.writes) return toolResult(bodyOf(response))
    const done = key === undefined ? {} : { idempotencyKey: key }
    return toolResult({ ...done, answer: bodyOf(response) }, done)
  })
}
