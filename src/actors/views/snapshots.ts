/**
 * State for newcomers. The shared part is built once per version, and for a large audience at most four times a second. The personal part
 * is read anew for each request.
 */

import type { Event } from "../../model/event.ts"
import { newId } from "../../model/ids.ts"
import { ownStream, roomStream, SHARED_STREAMS } from "../../model/live/streams.ts"
import type { Phase } from "../../model/phase.ts"
import type { LoadedEvent } from "../commit/loaded-event.ts"
import { Heads } from "../commit/stream-heads.ts"
import type { ViewFields } from "../domain/activities/activity.ts"
import { personalViewOf, sharedViewOf } from "../domain/activities/registry.ts"
import type { ReadContext } from "../domain/turn.ts"
import { runningTimersOf } from "../machine/clock.ts"
import { lobbyPolicy } from "../presence/admission-policy.ts"
import { NOBODY, type Presence } from "../presence/presence.ts"
import type { LiveSnapshot, ReadQuery, WireReading } from "../protocol.ts"
import { RecordStore } from "../state/record-store.ts"
import { activePhaseOf, gatewayPhase, type LiveState, PENDING, phaseTraits } from "../state/state.ts"
import { presenceSummary, presenceView } from "./presence-view.ts"

/** Maximum age of a snapshot for a large audience; later dispatches are replayed on top of it. */
const GOOD_FOR_MS = 250
const LARGE = 500

/** Streams of the rooms that participants may be in or move to. The stream of a room that is opened later begins at 0. */
const roomStreams = ({ records }: Pick<LoadedEvent, "records">): ReadonlyArray<string> => {
  const seats = Array.from(records.all("seat").values(), ({ roomId }) => roomId)
  return Array.from(new Set([...records.all("room").keys(), ...seats]), roomStream)
}

const headsIn = (of: Pick<LoadedEvent, "records" | "heads">): { readonly [stream: string]: number } => {
  const heads = [...SHARED_STREAMS, ...roomStreams(of)].map((stream) => [stream, of.heads.of(stream)] as const)
  return Object.fromEntries(heads.filter(([, head]) => head > 0))
}

/** Streams whose heads a read returns. */
export const headsOfReading = (of: LoadedEvent, { participants, streams }: ReadQuery): ReadonlyArray<string> => [
  ...participants.map(ownStream),
  ...streams,
  ...roomStreams(of),
]

export class Snapshots {
  /** A weak reference, so that an event that nobody joins does not keep an unused snapshot of some kilobytes. */
  #last: WeakRef<LiveSnapshot> | undefined
  #madeAt = 0

  read(
    of: LoadedEvent,
    presence: Presence | undefined,
    now: number,
    { participants, fresh, streams, known }: ReadQuery,
  ): WireReading {
    if (fresh && this.#last?.deref()?.version !== of.version) this.#last = undefined
    const context = contextOf(of, presence, now)
    const personal = participants.map((id) => {
      return [id, { head: of.heads.of(ownStream(id)), state: personalViewOf(context, id) }] as const
    })
    const snapshot = this.#snapshot(of, presence, now)
    return {
      version: of.version,
      fencingToken: of.fencingToken,
      snapshot: snapshot.id === known ? null : snapshot,
      heads: Object.fromEntries(streams.map((stream) => [stream, of.heads.of(stream)])),
      personal: Object.fromEntries(personal),
    }
  }

  /** An ephemeral dispatch was published: newcomers must find its content in a new snapshot. */
  forget(): void {
    this.#last = undefined
  }

  #snapshot(of: LoadedEvent, presence: Presence | undefined, now: number): LiveSnapshot {
    const last = this.#last?.deref()
    if (last?.epoch === of.epoch) {
      const mayBeOlder = (presence?.connected ?? 0) > LARGE && last.event.status === of.state.event.status
      if (last.version === of.version || (mayBeOlder && Math.abs(now - this.#madeAt) <= GOOD_FOR_MS)) return last
    }
    const made = snapshotOf(of, presence, now)
    this.#last = new WeakRef(made)
    this.#madeAt = now
    return made
  }
}

const contextOf = (
  { records, state }: Pick<LoadedEvent, "records" | "state">,
  presence: Presence | undefined,
  now: number,
): ReadContext => ({ records, state, people: presence ?? NOBODY, now })

/** A replay begins with this state: the event as it was announced, before anything took place. */
export const snapshotBefore = (event: Event, agenda: ReadonlyArray<Phase>, epoch: string): FirstSnapshot => {
  const phases = agenda.map((phase) => ({ ...phase, ...PENDING }))
  const announced = { ...event, status: "scheduled" as const, startedAt: null, endedAt: null }
  const state: LiveState = { chart: { value: "scheduled" }, event: announced, phases, removed: [] }
  const records = new RecordStore()
  const of = { state, records, epoch, version: 0, heads: new Heads([], false) }
  const presence = { mode: "summary", total: 0, byRole: {}, byRoom: {}, staff: [] }
  return {
    snapshot: { ...snapshotOf(of, undefined, 0), anonymous: { presence } },
    personal: personalViewOf({ records, state, people: NOBODY, now: 0 }, ""),
  }
}

interface FirstSnapshot {
  readonly snapshot: LiveSnapshot
  /** The state of a participant who has done nothing. */
  readonly personal: ViewFields
}

type Readable = Pick<LoadedEvent, "state" | "records" | "epoch" | "version" | "heads">

const snapshotOf = (of: Readable, presence: Presence | undefined, now: number): LiveSnapshot => {
  const { state, records } = of
  const context = contextOf(of, presence, now)
  const active = activePhaseOf(state)
  const seats = [...records.all("seat")].filter(([, { away }]) => !away)
  return {
    id: newId(),
    epoch: of.epoch,
    version: of.version,
    heads: headsIn(of),
    event: state.event,
    phase: phaseTraits(state),
    everyone: {
      phase: active === undefined ? null : gatewayPhase(active),
      phases: state.phases.map(gatewayPhase),
      timers: runningTimersOf(context),
      ...sharedViewOf(context, "view"),
    },
    staff: sharedViewOf(context, "staffView"),
    people: { presence: presence === undefined ? {} : presenceView(of, presence) },
    anonymous: { presence: presence === undefined ? {} : presenceSummary(of, presence) },
    lobby: lobbyPolicy(state, records),
    admissions: Object.fromEntries([...records.all("admission")].map(([id, admission]) => [id, admission.state])),
    roles: Object.fromEntries([...records.all("role")].map(([id, { role }]) => [id, role])),
    seats: Object.fromEntries(seats.map(([id, { roomId }]) => [id, roomId])),
    hasVoterTallies: [...records.all("poll").values()].some(
      ({ results, voters }) => results === "afterVote" && voters > 0,
    ),
    removed: state.removed,
  }
}
