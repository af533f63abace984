/**
 * What newcomers are told. The part that is the same for many is made once per version, however many ask for it; what
 * concerns one participant is looked up for each who asks, which costs the same whatever the size of the audience.
 */
import { personalViewOf, viewOf } from "./activities/registry.ts"
import { lobbyPolicy } from "./lobby-policy.ts"
import type { Presence } from "./presence.ts"
import { presenceView } from "./presence-view.ts"
import type { LiveReading, LiveSnapshot } from "./protocol.ts"
import type { Resident } from "./resident.ts"
import { activePhase, gatewayPhase, phaseTraits } from "./state.ts"
import { timersOf } from "./timers.ts"

export class Snapshots {
  #last: LiveSnapshot | undefined
  #of: Resident | undefined

  read(of: Resident, presence: Presence | undefined, now: number, participants: ReadonlyArray<string>): LiveReading {
    if (this.#last === undefined || this.#of !== of) {
      this.#last = snapshotOf(of, presence, now)
      this.#of = of
    }
    const scene = sceneOf(of, presence, now)
    return {
      snapshot: this.#last,
      personal: Object.fromEntries(participants.map((id) => [id, personalViewOf(scene, id)])),
    }
  }
}

const NOBODY = { size: 0, find: () => undefined, all: () => [].values(), waiting: () => [].values() }

const sceneOf = ({ floor, state }: Resident, presence: Presence | undefined, now: number) => ({
  floor,
  state,
  people: presence ?? NOBODY,
  now,
})

const snapshotOf = (of: Resident, presence: Presence | undefined, now: number): LiveSnapshot => {
  const { state, floor } = of
  const scene = sceneOf(of, presence, now)
  const active = activePhase(state)
  const seats = [...floor.all("seat")].filter(([, { away }]) => !away)
  return {
    history: of.history,
    version: of.version,
    heads: Object.fromEntries(of.heads),
    event: state.event,
    phase: phaseTraits(state),
    everyone: {
      phase: active === undefined ? null : gatewayPhase(active),
      phases: state.phases.map(gatewayPhase),
      timers: timersOf(scene),
      presence: presence === undefined ? {} : presenceView(of, presence),
      ...viewOf(scene, "view"),
    },
    staff: viewOf(scene, "staffView"),
    lobby: lobbyPolicy(state, floor),
    admissions: Object.fromEntries([...floor.all("admission")].map(([id, admission]) => [id, admission.state])),
    roles: Object.fromEntries([...floor.all("role")].map(([id, { role }]) => [id, role])),
    seats: Object.fromEntries(seats.map(([id, { roomId }]) => [id, roomId])),
    removed: state.removed,
  }
}
