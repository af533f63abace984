/** `gathercue inspect`: the chart of a live event in the process that owns it. */
import { Redacted, Schema } from "effect"
import type { checkConfig } from "../config/config.ts"
import { Inspection } from "../model/live/inspection.ts"
import { toMillis } from "../model/timestamp.ts"
import { CommandFailed } from "./command-failed.ts"
import { fetchText, serverBase } from "./reach-server.ts"
import { print } from "./terminal.ts"

/** An event that moves to another process answers within eight seconds. */
const ANSWER_WITHIN_MS = 15_000

const decode = Schema.decodeUnknownSync(Inspection)

const detailIn = (text: string): string | undefined => {
  try {
    const { detail } = JSON.parse(text) as { readonly detail?: unknown }
    return typeof detail === "string" ? detail : undefined
  } catch {
    return undefined
  }
}

const read = async (base: string, key: string, eventId: string): Promise<Inspection> => {
  const url = `${base}/v1/platform/events/${encodeURIComponent(eventId)}/inspection`
  const answer = await fetchText(url, { "x-platform-key": key }, ANSWER_WITHIN_MS)
  if ("failed" in answer) throw new CommandFailed(`The server at ${base} cannot be reached (${answer.failed}).`)
  if (answer.status === 200) return decode(JSON.parse(answer.text))
  throw new CommandFailed(`The server at ${base} refused: ${detailIn(answer.text) ?? `status ${answer.status}`}`)
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
export const printInspection = async (
  config: ReturnType<typeof checkConfig>,
  eventId: string,
  json: boolean,
): Promise<void> => {
  const { platformKey } = config
  if (platformKey === null) throw new CommandFailed("PLATFORM_KEY must be set, here and for the server.")
  const base = serverBase(config)
  if (base === undefined) throw new CommandFailed("With PORT 0 nobody knows where the server listens.")
  const found = await read(base, Redacted.value(platformKey), eventId)
  if (json) print(JSON.stringify(found, null, 2))
  else for (const line of linesOf(eventId, found)) print(line)
}
