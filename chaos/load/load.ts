/** The load while a run lasts: people and hosts who act, probes, and REST workers; all of it stops on request. */
import { type Chance, sleep } from "../chance.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Service } from "../ledger/service.ts"
import { Votes } from "../ledger/votes.ts"
import { act, announce, type Stage } from "./acts.ts"
import { type Crowd, type EventUnderLoad, PHASES } from "./crowd.ts"
import { createThings, type Desk, type Race, race, walkAgenda } from "./requests.ts"
import type { Rest } from "./rest.ts"

export interface Load {
  readonly votes: Votes
  readonly races: ReadonlyArray<Race>
  /** Asks for nothing new, and waits until what was asked is answered, or the deadline. */
  readonly stop: (deadlineMs: number) => Promise<void>
}

const STEP_MS = 50
const PROBE_MS = 100
const PHASE_EVERY_MS = 25_000
const HOST_SHARE = 0.15

export const startLoad = (given: {
  readonly crowd: Crowd
  readonly rest: Rest
  readonly ledger: Ledger
  readonly chance: Chance
  readonly rate: number
  /** Sockets that lose their link, per second. */
  readonly cuts: number
  /** Told of each acknowledged probe. */
  readonly service: Service
  /** Told of each acknowledged command that had an effect. */
  readonly committed: Stage["committed"]
}): Load => {
  const { crowd, rest, ledger, chance, rate, cuts, service, committed } = given
  const votes = new Votes()
  const races: Array<Race> = []
  const run = Date.now().toString(36)
  let marks = 0
  const mark = () => `x${run}-${++marks}`
  const stage: Stage = { chance, ledger, votes, mark, committed }
  const desk: Desk = { rest, ledger, key: crowd.key, mark }
  let isRunning = true

  const repeat = async (pauseMs: number, work: () => Promise<unknown> | unknown): Promise<void> => {
    while (isRunning) {
      await work()
      await sleep(pauseMs)
    }
  }

  const somebodyActs = (): void => {
    const scene = chance.pick(crowd.scenes)
    if (scene === undefined) return
    const isHost = chance.is(HOST_SHARE)
    const client = isHost ? scene.hosts[1] : chance.pick(scene.people)
    if (client?.isIdle) act(stage, scene, client, isHost)
  }

  const probe = (scene: EventUnderLoad): void => {
    const client = scene.hosts[2]
    if (client?.isIdle) announce(stage, scene, client, () => service.served(scene.eventId))
  }

  const stepsTaken = new Map<EventUnderLoad, number>()
  const nextPhase = (scene: EventUnderLoad): void => {
    const client = scene.hosts[0]
    const steps = stepsTaken.get(scene) ?? 0
    // The step after the last phase ends the event, and a long run goes on without it.
    if (!client?.isIdle || steps >= PHASES - 2) return
    stepsTaken.set(scene, steps + 1)
    client.command("phase.next", { phaseId: scene.activePhaseId })
  }

  const workers = [
    repeat(STEP_MS, () => {
      const wanted = (rate * STEP_MS) / 1000
      const now = Math.floor(wanted) + (chance.is(wanted % 1) ? 1 : 0)
      for (let n = 0; n < now; n++) somebodyActs()
      if (chance.is((cuts * STEP_MS) / 1000)) chance.pick(crowd.clients())?.cut()
    }),
    ...crowd.scenes.map((scene) => repeat(PROBE_MS, () => probe(scene))),
    ...crowd.scenes.map((scene) => repeat(PHASE_EVERY_MS, () => nextPhase(scene))),
    ...[400, 600, 800].map((pause) => repeat(pause, () => createThings(desk))),
    ...[100, 150].map((pause) => repeat(pause, () => walkAgenda(desk))),
    repeat(5000, async () => {
      const done = await race(desk)
      if (done !== undefined) races.push(done)
    }),
  ]

  return {
    votes,
    races,
    stop: async (deadlineMs) => {
      isRunning = false
      const deadline = Date.now() + deadlineMs
      const settled = Promise.all(workers)
      while (Date.now() < deadline && crowd.clients().some(({ isAnswered }) => !isAnswered)) await sleep(100)
      await Promise.race([settled, sleep(Math.max(0, deadline - Date.now()))])
      rest.isStopped = true
    },
  }
}
