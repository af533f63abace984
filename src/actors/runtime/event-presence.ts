/** Presence at one live event: reports of gateways, returns after a restart, and connections in excess of the limit. */
import { Effect } from "effect"
import { toTimestamp } from "../../model/timestamp.ts"
import type { Unreachable } from "../commands.ts"
import type { Committer } from "../commit/committer.ts"
import type { LoadedEvent } from "../commit/loaded-event.ts"
import { holdersIn } from "../domain/activities/registry.ts"
import { unblock } from "../domain/activities/removals.ts"
import { admissionOf } from "../presence/admission-policy.ts"
import { Replacements } from "../presence/replacements.ts"
import type { PresenceReport } from "../protocol.ts"
import type { ParticipantChange } from "../state/state.ts"
import { PresenceFlush } from "./presence-flush.ts"

export class EventPresence {
  readonly #committer: Committer
  readonly #flush: PresenceFlush
  /** Created by the first report. */
  #replacements: Replacements | undefined

  constructor(committer: Committer) {
    this.#committer = committer
    this.#flush = new PresenceFlush(committer)
  }

  /** Keeps participants who were announced as present or hold something, as after a lost connection. */
  activated({ roster, records }: LoadedEvent, presence: NonNullable<Committer["presence"]>): void {
    const { returnWithinMs } = this.#committer.services
    const until = this.#committer.now + returnWithinMs
    presence.restore(roster, holdersIn(records), until)
    presence.lobby.restore(records.all("waiting"), until)
    if (presence.nextLapse !== undefined) this.#flush.schedule(returnWithinMs)
  }

  adopted(isNewPhase: boolean): void {
    const { presence } = this.#committer
    if (presence?.hasChanges || presence?.lobby.hasChanges) this.#flush.schedule()
    if (presence !== undefined && presence.size > 0 && isNewPhase) this.#flush.rolesChanged()
  }

  /** Updates lists with a participant's changed role or room. A host's decision on admission ends their place in the waiting room. */
  committed(changes: ReadonlyArray<ParticipantChange>): void {
    const { presence } = this.#committer
    if (presence === undefined) return
    const at = toTimestamp(this.#committer.now)
    for (const { participantId, admission, pollSubscription } of changes) {
      if (admission !== undefined) presence.lobby.endPlace(participantId)
      else if (pollSubscription === undefined) presence.touch(participantId, at)
    }
    if (presence.hasChanges || presence.lobby.hasChanges) this.#flush.schedule()
  }

  report(of: LoadedEvent, report: PresenceReport): Effect.Effect<void, Unreachable> {
    this.#apply(of, report)
    return this.#unblockManagers(of, report)
  }

  /** A node is gone, with its participants' connections. */
  forgetNode(node: string): void {
    this.#committer.presence?.forgetNode(node, this.#committer.now)
    this.#flush.schedule()
  }

  stop(): void {
    this.#flush.stop()
    this.#replacements?.stop()
  }

  #apply(of: LoadedEvent, { node, changes }: PresenceReport): void {
    const { presence } = this.#committer
    if (presence === undefined) return
    const { state, records } = of
    const now = this.#committer.now
    const at = toTimestamp(now)
    for (const change of changes) {
      if ("participantId" in change) {
        presence.leave(node, change.participantId, now, at, change.type === "leave" && change.isForGood === true)
        continue
      }
      const from = { node, connections: change.connections }
      if (change.type === "joinWaitingRoom") presence.joinWaitingRoom(from, change.participant, now, at)
      else presence.enter(from, change.participant, admissionOf(state, records, change.participant), at)
    }
    // Only the live event knows a participant's connections on all nodes.
    const reported = new Set(
      changes.map((change) => ("participant" in change ? change.participant.participantId : change.participantId)),
    )
    this.#replacements ??= this.#makeReplacements()
    for (const participantId of reported) this.#replacements.follow(participantId)
    this.#flush.schedule()
  }

  /** Commits before the report is acknowledged, and so before the manager gets `ready`. */
  #unblockManagers(of: LoadedEvent, { changes }: PresenceReport): Effect.Effect<void, Unreachable> {
    const blocked = changes.flatMap((change) =>
      "participant" in change && change.participant.manages === true ? change.participant.participantId : [],
    )
    if (!blocked.some((id) => of.state.removed.includes(id))) return Effect.void
    return this.#committer.act(of, this.#committer.now, (turn) => {
      for (const id of blocked) unblock(turn, id)
    })
  }

  #makeReplacements(): Replacements {
    const committer = this.#committer
    const { timers, replaceAfterMs, connectionsPerParticipant } = committer.services
    return new Replacements({
      timers,
      afterMs: replaceAfterMs,
      most: connectionsPerParticipant,
      connectionsOf: (participantId) => committer.presence?.connectionsOf(participantId) ?? [],
      replace: (connections) => {
        if (committer.loaded !== undefined) committer.note(committer.loaded, { replaced: connections })
      },
    })
  }
}
