/** The lobby: the participants who must wait, and for staff their list. */

import type { AbsenceMeasure, LobbyPolicy, PhaseView, WaitingView } from "../contract/types.ts"
import type { DispatchData, Snapshot } from "../wire.ts"
import type { NewsOf } from "./news.ts"

export interface LobbyState {
  /** Policy in the active phase; only calls have a lobby. */
  readonly policy: LobbyPolicy
  /** Policy set by a host, which overrides the configuration of the phases. */
  readonly said: LobbyPolicy | null
  /** Number of waiting participants, for staff. */
  readonly total: number
  /** The first of them. */
  readonly waiting: ReadonlyArray<WaitingView>
}

const configured = (phase: PhaseView): LobbyPolicy => phase.config.lobby ?? "open"

export const lobbyIn = (ready: Snapshot): LobbyState => ({
  policy: ready.lobbyPolicy ?? "open",
  said: ready.lobbySaid ?? null,
  total: ready.lobby?.total ?? 0,
  waiting: ready.lobby?.waiting ?? [],
})

/** Staff receive the first entries of a long queue; of the others only the number is known. */
const withNews = (state: LobbyState, { add, remove }: DispatchData<"lobby.waiting">): LobbyState => {
  const people = new Map(state.waiting.map((person) => [person.participantId, person]))
  const beyond = state.total - people.size
  const left = remove.filter((id) => !people.delete(id)).length
  for (const person of add) people.set(person.participantId, person)
  // A participant who was briefly away returns to their position.
  const waiting = [...people.values()].sort((a, b) => (a.since < b.since ? -1 : Number(a.since > b.since)))
  return { ...state, waiting, total: people.size + Math.max(0, beyond - left) }
}

const inPhase = (state: LobbyState, phase: PhaseView | undefined, measure: AbsenceMeasure | undefined): LobbyState => {
  const isCall = phase !== undefined && phase.modality !== "broadcast"
  const inCall = (of: PhaseView) => (measure === "lobbyClosed" ? "closed" : (state.said ?? configured(of)))
  const policy = isCall ? inCall(phase) : "open"
  return policy === state.policy ? state : { ...state, policy }
}

/** `phase` is the active one after the dispatch. `measure` is the one then active because no host is present. */
export const lobbyAfter = (
  state: LobbyState,
  dispatch: NewsOf<"lobby">,
  phase: PhaseView | undefined,
  measure: AbsenceMeasure | undefined,
): LobbyState => {
  switch (dispatch.t) {
    case "lobby.waiting":
      return withNews(state, dispatch.d)
    case "lobby.settings":
      return inPhase({ ...state, said: dispatch.d.mode }, phase, measure)
    case "host.absence":
    case "phase.started":
    case "phase.ended":
    case "phase.updated":
      return inPhase(state, phase, measure)
  }
}
