/** Participant states decided by the live event: admissions, roles given by hosts, and rooms. */

import { type AdmissionResult, admissionUnder } from "../../actors/presence/admission-policy.ts"
import type { LiveSnapshot } from "../../actors/protocol.ts"
import type { ParticipantChange } from "../../actors/state/state.ts"
import type { LobbyPolicy } from "../../model/live/live-values.ts"
import type { EventRole } from "../../model/roles.ts"
import type { Identity } from "./lifecycle.ts"

/** A participant's identity with their role here, their room and their admission. */
export interface ParticipantState {
  readonly identity: Identity
  readonly roomId: string | null
  readonly admission: AdmissionResult
  readonly isRemoved: boolean
}

export class ParticipantStates {
  lobby: LobbyPolicy = "open"
  /** True when there are tallies that only voters see. */
  hasVoterTallies = false
  #admissions = new Map<string, "admitted" | "held">()
  #roles = new Map<string, EventRole>()
  #seats = new Map<string, string>()

  restore({ admissions, roles, seats, hasVoterTallies }: LiveSnapshot): void {
    this.hasVoterTallies = hasVoterTallies
    this.#admissions = new Map(Object.entries(admissions))
    this.#roles = new Map(Object.entries(roles))
    this.#seats = new Map(Object.entries(seats))
  }

  apply({ participantId, admission, role, roomId, pollSubscription }: ParticipantChange): void {
    if (pollSubscription?.on) this.hasVoterTallies = true
    if (role === null) this.#roles.delete(participantId)
    else if (role !== undefined) this.#roles.set(participantId, role)
    if (roomId === null) this.#seats.delete(participantId)
    if (typeof roomId === "string") this.#seats.set(participantId, roomId)
    if (admission === "admitted") this.#admissions.set(participantId, "admitted")
    if (admission === "waiting") this.#admissions.set(participantId, "held")
    const isHeld = this.#admissions.get(participantId) === "held"
    if (admission === "denied" && !isHeld) this.#admissions.delete(participantId)
  }

  roomOf(participantId: string): string | null {
    return this.#seats.get(participantId) ?? null
  }

  /** Role given at this event, by a host or for the stage. */
  givenRole(participantId: string): EventRole | undefined {
    return this.#roles.get(participantId)
  }

  /** The identity with its role at this event, which takes precedence over the token's role. */
  here(identity: Identity): Identity {
    const role = this.#roles.get(identity.participantId)
    return role === undefined || role === identity.role ? identity : { ...identity, role }
  }

  standing(identity: Identity, removed: ReadonlySet<string>): ParticipantState {
    return {
      identity: this.here(identity),
      roomId: this.roomOf(identity.participantId),
      admission: this.admission(identity),
      isRemoved: !identity.manages && removed.has(identity.participantId),
    }
  }

  admission({ participantId, walkIn }: Identity): AdmissionResult {
    return admissionUnder(this.lobby, this.#admissions.get(participantId), walkIn)
  }
}
