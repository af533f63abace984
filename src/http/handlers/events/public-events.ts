/** Public surfaces: the names of people on stage and no other personal data; absent parts are null or empty, never an error. */

import { Clock, Effect } from "effect"
import { readEntryToken } from "../../../identity/accounts/entry.ts"
import { hashSecret } from "../../../identity/secrets.ts"
import { Tokens } from "../../../identity/tokens.ts"
import { calendarFile } from "../../../mail/calendar.ts"
import { Mailer } from "../../../mail/mailer.ts"
import { NotFound, Unauthorized } from "../../../model/errors.ts"
import type { Event } from "../../../model/event.ts"
import { registeredAs } from "../../../model/participants.ts"
import { worn } from "../../../model/presentation.ts"
import { shadesOf } from "../../../model/shades.ts"
import { foldEmail } from "../../../model/text/email.ts"
import { markdownHtml } from "../../../model/text/markdown.ts"
import { membersText } from "../../../model/text/shown-text.ts"
import { type Timestamp, toMillis, toTimestamp } from "../../../model/timestamp.ts"
import { Database } from "../../../store/database.ts"
import { findCalendarEvent } from "../../../store/events/calendar-events.ts"
import {
  findActiveBroadcast,
  findBeginning,
  findLatestRecording,
  listCast,
  listDerivations,
  listReadyClips,
  listSpeakers,
  type RecordingRow,
} from "../../../store/events/public-surfaces.ts"
import { countRegistrations } from "../../../store/events/registrations.ts"
import { findEventSummary } from "../../../store/events/summaries.ts"
import { findTableNotes } from "../../../store/events/table-notes.ts"
import { whyNotReplayable } from "../../../store/live/kept-history.ts"
import { query } from "../../../store/query.ts"
import { OutboxSignal } from "../../../store/webhooks/outbox.ts"
import { findWorkspaceFace, type WorkspaceFace } from "../../../store/workspaces/workspaces.ts"
import type { PublicEvents } from "../../contract/events/public-events.ts"
import type { TableContent } from "../../contract/events/table-summary.ts"
import { RateLimits } from "../../limits/rate-limits.ts"
import { type Handlers, Reply } from "../../requests/call.ts"
import { run } from "../../requests/management.ts"
import {
  type Addressing,
  asCallers,
  callersAddressing,
  playAddress,
  watchAddress,
} from "../../requests/media/addresses.ts"
import { HttpSettings } from "../../requests/settings.ts"
import { requireProvedOrganiser } from "../workspaces/mail-to-others.ts"
import { confirmations } from "./confirmations.ts"
import { takePlace } from "./taken-places.ts"

const descriptionOf = ({ description, metadata }: Event): string | null => {
  const { description: kept } = metadata
  return description ?? (typeof kept === "string" ? membersText(kept) : null)
}

const detailsOf = (event: Event) => ({
  id: event.id,
  title: event.title,
  type: event.type,
  description: descriptionOf(event),
  status: event.status,
  visibility: event.visibility,
  scheduledAt: event.scheduledAt,
  scheduledEndAt: event.scheduledEndAt,
  timeZone: event.timeZone,
  location: event.location,
  language: event.language,
  cancelledAt: event.cancelledAt,
  cancelReason: event.cancelReason,
  startedAt: event.startedAt,
  endedAt: event.endedAt,
})

const headOf = (event: Event, { name, branding }: WorkspaceFace) => {
  const { coverUrl, ...own } = worn(event, branding)
  const { accent } = own
  return {
    ...detailsOf(event),
    coverUrl,
    workspace: { name },
    branding: { ...own, shades: accent === null ? null : shadesOf(accent) },
  }
}

/** An uploaded recording does not say when it began: it counts as begun with the event. */
const millisBetween = (startedAt: Timestamp | null, beganAt: Timestamp | undefined): number =>
  startedAt === null || beganAt === undefined ? 0 : toMillis(beganAt) - toMillis(startedAt)

type Watchable = Pick<RecordingRow, "id" | "status">

/**
 * Adds a recording's playback and caption addresses. Those of a public event end when it becomes private; those of a private event are
 * given to its own people only.
 */
const watchedAt = (event: Pick<Event, "id" | "workspaceId" | "visibility">) =>
  Effect.map(callersAddressing(event.id, event.workspaceId), (own) => {
    const addressing: Addressing = event.visibility === "private" ? own : { ...own, audience: "public" }
    return {
      recording: <R extends Watchable & Pick<RecordingRow, "source">>({ source, ...recording }: R) => ({
        ...recording,
        playbackUrl: playAddress({ ...recording, source }, addressing),
      }),
      clip: <C extends Watchable>(clip: C) => ({
        ...clip,
        playbackUrl: watchAddress("clip", clip, "play", addressing),
      }),
      derivation: <D extends Watchable & { readonly kind: string }>(derivation: D) => ({
        ...derivation,
        url: watchAddress(
          derivation.kind === "transcript" ? "transcript" : "derivation",
          derivation,
          "play",
          addressing,
        ),
      }),
    }
  })

export const publicEvents = {
  getPublicEvent: {
    access: "publicEvent",
    handle: ({ scope: { event } }) =>
      Effect.gen(function* () {
        const [workspace, cast, speakers, activeBroadcast, taken] = yield* run((sql) =>
          Promise.all([
            findWorkspaceFace(sql, event.workspaceId),
            listCast(sql, event),
            listSpeakers(sql, event.id),
            findActiveBroadcast(sql, event.id),
            event.capacity === null ? 0 : countRegistrations(sql, event.id),
          ]),
        )
        const playbackUrl = yield* asCallers(activeBroadcast?.playbackUrl ?? null, event.id, event.workspaceId)
        const total = event.capacity
        const head = headOf(event, workspace)
        return {
          ...head,
          descriptionHtml: head.description === null ? null : markdownHtml(head.description),
          capacity: total === null ? null : { total, remaining: Math.max(0, total - taken) },
          phases: event.phases.map(({ id, position, modality, featureSet, status, startedAt, timerEndsAt }) => ({
            id,
            position,
            modality,
            featureSet,
            status,
            startedAt,
            timerEndsAt,
          })),
          cast,
          speakers,
          activeBroadcast: activeBroadcast === undefined ? null : { ...activeBroadcast, playbackUrl },
        }
      }),
  },
  getRecap: {
    access: "publicEvent",
    handle: ({ scope: { event } }) =>
      Effect.gen(function* () {
        const [workspace, recording, clips, summary, cast] = yield* run((sql) =>
          Promise.all([
            findWorkspaceFace(sql, event.workspaceId),
            findLatestRecording(sql, event.id),
            listReadyClips(sql, event.id),
            findEventSummary(sql, event.id),
            listCast(sql, event),
          ]),
        )
        const watched = yield* watchedAt(event)
        const { keptHistoryDays } = yield* HttpSettings
        const cannotReplay = whyNotReplayable(event, yield* Clock.currentTimeMillis, keptHistoryDays)
        const beganAt = recording === undefined ? undefined : yield* run((sql) => findBeginning(sql, recording.id))
        return {
          event: headOf(event, workspace),
          recording: recording === undefined ? null : watched.recording(recording),
          clips: clips.map(watched.clip),
          replay: cannotReplay === undefined ? { offsetMs: millisBetween(event.startedAt, beganAt) } : null,
          summary: summary ?? null,
          cast,
        }
      }),
  },
  getContent: {
    access: "publicEvent",
    handle: ({ scope: { event } }) =>
      Effect.gen(function* () {
        const [workspace, recording, media, cast] = yield* run((sql) =>
          Promise.all([
            findWorkspaceFace(sql, event.workspaceId),
            findLatestRecording(sql, event.id),
            listReadyClips(sql, event.id),
            listCast(sql, event),
          ]),
        )
        const derivations = recording === undefined ? [] : yield* run((sql) => listDerivations(sql, recording.id))
        const watched = yield* watchedAt(event)
        return {
          event: headOf(event, workspace),
          recording: recording === undefined ? null : watched.recording(recording),
          derivations: derivations.map(watched.derivation),
          media: media.map(watched.clip),
          cast,
        }
      }),
  },
  getAsset: {
    access: "publicAsset",
    handle: ({ scope: { asset, event } }) =>
      Effect.map(watchedAt(event), (watched) => ({
        ...(asset.kind === "clip" ? watched.clip(asset) : watched.recording(asset)),
        event: { id: event.id, title: event.title, scheduledAt: event.scheduledAt },
      })),
  },
  getTableSummary: {
    access: "public",
    handle: ({ params, query }) =>
      Effect.gen(function* () {
        const now = toTimestamp(yield* Clock.currentTimeMillis)
        const notes = yield* run((sql) => findTableNotes<TableContent>(sql, params.id, hashSecret(query.t), now))
        if (notes === undefined) return yield* NotFound.of("table summary")
        const { table, ...content } = notes.content
        return {
          event: { id: notes.eventId, title: notes.eventTitle, scheduledAt: notes.scheduledAt },
          table: { roomId: notes.roomId, ...table },
          recipientUserId: notes.recipientUserId,
          recipientName: notes.recipientName,
          ...content,
          generatedAt: notes.generatedAt,
        }
      }),
  },
  getCalendar: {
    access: "publicEvent",
    handle: ({ scope: { event } }) =>
      Effect.gen(function* () {
        const { appUrl } = yield* HttpSettings
        const stored = yield* run((sql) => findCalendarEvent(sql, event.id))
        if (stored === undefined) return yield* NotFound.of("event")
        const { scheduledAt } = stored
        if (scheduledAt === null) return yield* new NotFound({ detail: "The event has no date yet." })
        const { sender } = yield* Mailer
        const file = {
          method: "PUBLISH",
          stamp: stored.changedAt,
          page: `${appUrl}/enter/${event.id}`,
          sender,
        } as const
        const name = [["content-disposition", 'attachment; filename="event.ics"']] as const
        return new Reply(calendarFile({ ...stored, scheduledAt }, file), { headers: name })
      }),
  },
  register: {
    access: "sharedEvent",
    handle: ({ payload, scope: { event } }) =>
      Effect.gen(function* () {
        const mailer = yield* Mailer
        const person = { name: payload.name.trim(), email: foldEmail(payload.email) }
        yield* requireProvedOrganiser(event.workspaceId)
        yield* (yield* RateLimits).mail("entry", person.email)
        const outbox = yield* OutboxSignal
        const confirm = yield* confirmations
        const now = toTimestamp(yield* Clock.currentTimeMillis)
        const { state, alreadyRegistered } = yield* (yield* Database).transaction((sql) =>
          Effect.gen(function* () {
            const taken = yield* takePlace(sql, event, person, now, payload.answers ?? {})
            // Read under the lock of the event's row: the request may have found it before a change.
            const stored = yield* query(() => findCalendarEvent(sql, event.id))
            if (stored === undefined) return yield* NotFound.of("event")
            yield* query(() => confirm(sql, stored, taken, now))
            return taken
          }),
        )
        mailer.collect()
        outbox.notify()
        return { registered: state === "approved", alreadyRegistered }
      }),
  },
  enter: {
    access: "sharedEvent",
    handle: ({ payload, scope: { event } }) =>
      Effect.gen(function* () {
        const registration = yield* readEntryToken(event.id, payload.token)
        if (registration.state !== "approved") {
          return yield* new Unauthorized({ detail: "The registration has no place at the event." })
        }
        const { token } = yield* (yield* Tokens).issue("entry", {
          participantId: registeredAs(registration.id),
          eventId: event.id,
          name: registration.name,
        })
        return { sessionToken: token, eventId: event.id, name: registration.name }
      }),
  },
} satisfies Handlers<typeof PublicEvents>
