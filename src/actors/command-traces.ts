/**
 * Spans of commands: one per command, from arrival to answer, and one per batch that a live event processes or receives, linked to the
 * spans of its commands. The time that a command takes beyond its batch is its wait for the previous batch.
 */
import { Effect, type Tracer } from "effect"
import type { Tracing } from "../telemetry/tracing.ts"
import type { Answer, Envelope } from "./commands.ts"

/** Most span links of one batch. */
const MOST_LINKS = 32

/** `work` receives the span if it is sampled. */
export const commandSpan = <E, R>(
  tracing: Tracing,
  eventId: string,
  { command: { type } }: Envelope,
  work: (span: Tracer.AnySpan | undefined) => Effect.Effect<Answer, E, R>,
): Effect.Effect<Answer, E, R> => {
  if (!tracing.isOn) return work(undefined)
  const given = { attributes: { "gathercue.event_id": eventId, "gathercue.command": type } }
  const within = Effect.flatMap(tracing.current, work)
  return tracing.within(`live event ${type}`, given, within, ({ version, duplicate }) => ({
    attributes: { "gathercue.version": version, "gathercue.duplicate": duplicate },
  }))
}

/** `links`: the spans of the commands that reached this process. */
export const batchSpan = <A, E, R>(
  tracing: Tracing,
  eventId: string,
  commands: number,
  links: ReadonlyArray<Tracer.AnySpan>,
  work: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> => {
  if (links.length === 0) return work
  const attributes = { "gathercue.event_id": eventId, "gathercue.commands": commands }
  return tracing.root("live event batch", { attributes, links: links.slice(0, MOST_LINKS) }, work)
}
