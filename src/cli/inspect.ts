/** `gathercue inspect`: the chart of a live event, as the process that owns it has it. */
import { Redacted, Schema } from "effect"
import type { checkConfig } from "../config/config.ts"
import { listenUrl } from "../model/listen-url.ts"
import { Inspection } from "../model/live/inspection.ts"
import { toMillis } from "../model/timestamp.ts"
import { print } from "../terminal.ts"
import { CommandFailed } from "./command-failed.ts"

/** An event that moves to another process answers within eight seconds. */
const ANSWER_WITHIN_MS = 15_000

const decode = Schema.decodeUnknownSync(Inspection)

const reasonOf = (cause: unknown): string => {
  const { cause: inner, message } = cause as Error & { readonly cause?: unknown }
  return inner instanceof Error ? inner.message : message
}

const read = async (url: string, key: string): Promise<Inspection> => {
  const headers = { "x-platform-key": key }
  const answer = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }).catch(
    (cause: unknown) => {
      throw new CommandFailed(`The server at ${new URL(url).origin} cannot be reached (${reasonOf(cause)}).`)
    },
  )
  const body: unknown = await answer.json().catch(() => ({}))
  if (answer.ok) return decode(body)
  const { detail } = body as { readonly detail?: unknown }
  const said = typeof detail === "string" ? detail : `status ${answer.status}`
  throw new CommandFailed(`The server at ${new URL(url).origin} refused: ${said}`)
}

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> => [
  "",
  title,
  ...(lines.length === 0 ? ["  none"] : lines.map((line) => `  ${line}`)),
]

const linesOf = (eventId: string, found: Inspection): ReadonlyArray<string> => {
  const { node, version, fencingToken, ownedSince } = found
  const aboutOf = (about: string | null): string => (about === null ? "" : ` of ${about}`)
  const secondsTo = (at: Inspection["ownedSince"]): number => Math.round((toMillis(at) - Date.now()) / 1000)
  return [
    `Event ${eventId} at node ${node} since ${ownedSince}, version ${version}, fencing token ${fencingToken}`,
    ...section("States", found.states),
    ...section(
      "Polls",
      found.polls.map(({ id, states }) => `${id} ${states.join(" ")}`),
    ),
    ...section(
      "Waits for",
      found.deadlines.map(({ name, about, at }) => `${at} (in ${secondsTo(at)} s)  ${name}${aboutOf(about)}`),
    ),
    ...section(
      "Last transitions",
      found.transitions.map(({ at, event, entered }) => `${at}  ${event} -> ${entered.join(", ")}`),
    ),
  ]
}

/** @throws CommandFailed */
export const inspectEvent = async (
  { publicUrl, host, port, platformKey }: ReturnType<typeof checkConfig>,
  eventId: string,
  json: boolean,
): Promise<void> => {
  if (platformKey === null) throw new CommandFailed("PLATFORM_KEY must be set, here and for the server.")
  const base = publicUrl ?? listenUrl(host, port)
  const url = `${base}/v1/platform/events/${encodeURIComponent(eventId)}/inspection`
  const found = await read(url, Redacted.value(platformKey))
  if (json) print(JSON.stringify(found, null, 2))
  else for (const line of linesOf(eventId, found)) print(line)
}
