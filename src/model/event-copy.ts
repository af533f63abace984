/** A copy of an event: a new draft with the settings and the agenda of its source. */
import { Struct } from "effect"
import { type Event, type EventCopyInput, EventPatch, TITLE_LIMIT } from "./event.ts"
import { newId } from "./ids.ts"
import type { Phase } from "./phase.ts"
import { cut } from "./text/cut.ts"
import { parseTimestamp, type Timestamp, toMillis, toTimestamp } from "./timestamp.ts"

const MARK = " (copy)"

const titleOfCopy = (title: string): string => cut(title, TITLE_LIMIT - MARK.length) + MARK

/** The end keeps its distance from the start. It is null where either time is unknown, or where it falls after the year 9999. */
const endOf = ({ scheduledAt, scheduledEndAt }: Event, start: Timestamp | null): Timestamp | null => {
  if (start === null || scheduledAt === null || scheduledEndAt === null) return null
  return parseTimestamp(toTimestamp(toMillis(start) + toMillis(scheduledEndAt) - toMillis(scheduledAt))) ?? null
}

/** Fields that a PATCH may change: a copy has all of them from its source. */
const SETTINGS = Struct.keys(EventPatch.fields)

export const copyOfEvent = (event: Event, { title, scheduledAt = null }: EventCopyInput) => ({
  ...Struct.pick(event, SETTINGS),
  title: title ?? titleOfCopy(event.title),
  scheduledAt,
  scheduledEndAt: endOf(event, scheduledAt),
  id: newId(),
  workspaceId: event.workspaceId,
  status: "draft" as const,
})

export const copyOfPhase = ({ modality, config, featureSet }: Phase) => ({ id: newId(), modality, config, featureSet })
