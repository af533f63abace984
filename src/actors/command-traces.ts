/**
 * Spans of commands: one for each, from its arrival to its answer, and one for each batch that is sent to a live event, linked to those of
 * its commands. A command's time beyond that of its batch is its wait for the batch before.
 */
import { Effect, type Tracer } from "effect"
import type { Tracing } from "../telemetry/tracing.ts"
import type { Answer, Envelope } from "./commands.ts"

/** Of one batch. */
const MOST_LINKS = 32

export interface CommandTraces {
  readonly command: <E, R>(
    eventId: string,
    envelope: Envelope,
    work: Effect.Effect<Answer, E, R>,
  ) => Effect.Effect<Answer, E, R>
  readonly batch: <A, E, R>(
    eventId: string,
    envelopes: ReadonlyArray<Envelope>,
    work: Effect.Effect<A, E, R>,
  ) => Effect.Effect<A, E, R>
}

const OFF: CommandTraces = {
  command: (_eventId, _envelope, work) => work,
  batch: (_eventId, _envelopes, work) => work,
}

export const commandTraces = (tracing: Tracing): CommandTraces => {
  if (!tracing.isOn) return OFF
  /** Spans of the commands under way, by their `freshId`, which a batch keeps. */
  const underWay = new Map<string, Tracer.AnySpan>()
  return {
    command: (eventId, { freshId, command }, work) => {
      const given = { attributes: { "gathercue.event_id": eventId, "gathercue.command": command.type } }
      const noted = Effect.flatMap(tracing.current, (span) => {
        if (span === undefined) return work
        underWay.set(freshId, span)
        return Effect.ensuring(
          work,
          Effect.sync(() => underWay.delete(freshId)),
        )
      })
      return tracing.within(`live event ${command.type}`, given, noted, ({ version, duplicate }) => ({
        attributes: { "gathercue.version": version, "gathercue.duplicate": duplicate },
      }))
    },
    batch: (eventId, envelopes, work) => {
      if (underWay.size === 0) return work
      const links = envelopes.flatMap(({ freshId }) => underWay.get(freshId) ?? []).slice(0, MOST_LINKS)
      const attributes = { "gathercue.event_id": eventId, "gathercue.commands": envelopes.length }
      return tracing.root("live event batch", { attributes, links }, work)
    },
  }
}
