/**
 * Commands and dispatches between builds: by the build of the node that owned the live event, and the build of the node whose
 * gateway the socket was on. Only the database knows the owner, so it is looked up again and again: a command counts where every
 * look from before it was sent until after it was answered shows the same process.
 */
export interface Owner {
  readonly pid: number
  /** The name of the build that the process runs. */
  readonly build: string
}

/** One look at the database, which shows the owners at some moment between two times; Unix milliseconds. */
export interface Look {
  readonly from: number
  readonly to: number
  /** By the ids of live events. */
  readonly owners: ReadonlyMap<string, Owner>
}

interface Acknowledged {
  readonly eventId: string
  /** The text that the command brought. */
  readonly mark: string
  /** The build of the gateway. */
  readonly gateway: string
  readonly askedAt: number
  readonly at: number
}

/** An announcement reached a socket. */
interface Heard {
  readonly mark: string
  readonly gateway: string
  readonly at: number
  /** Since when the socket has been ready. */
  readonly readyAt: number
}

export interface TrafficRow {
  readonly owner: string
  readonly gateway: string
  readonly acknowledged: number
  /** For each announcement and socket: how long after its acknowledgement it was heard; milliseconds. */
  readonly lateMs: ReadonlyArray<number>
}

/** An answer takes no longer. */
const KEPT_MS = 60_000

export class Traffic {
  #looks: Array<Look> = []
  #pending: Array<Acknowledged> = []
  readonly #attributed = new Map<string, Acknowledged & { readonly owner: string }>()
  readonly #heard: Array<Heard> = []
  /** Commands whose owner changed meanwhile or is not known. */
  unattributed = 0

  acknowledged(command: Acknowledged): void {
    this.#pending.push(command)
  }

  heard(heard: Heard): void {
    this.#heard.push(heard)
  }

  looked(look: Look): void {
    this.#looks.push(look)
    const settled = this.#pending.filter(({ at }) => at <= look.from)
    this.#pending = this.#pending.filter(({ at }) => at > look.from)
    for (const command of settled) this.#attribute(command)
    this.#looks = this.#looks.filter(({ to }) => to > look.to - KEPT_MS)
  }

  #attribute(command: Acknowledged): void {
    const before = this.#looks.findLastIndex(({ to }) => to <= command.askedAt)
    const after = this.#looks.findIndex(({ from }) => from >= command.at)
    const seen = before < 0 ? [] : this.#looks.slice(before, after + 1).map(({ owners }) => owners.get(command.eventId))
    const [owner] = seen
    if (owner === undefined || seen.some((one) => one?.pid !== owner.pid)) this.unattributed++
    else this.#attributed.set(command.mark, { ...command, owner: owner.build })
  }

  /** One for each pair of the builds. */
  rows(builds: ReadonlyArray<string>): ReadonlyArray<TrafficRow> {
    const rows = builds.flatMap((owner) =>
      builds.map((gateway) => ({ owner, gateway, acknowledged: 0, lateMs: [] as Array<number> })),
    )
    const rowOf = (owner: string, gateway: string) => rows.find((row) => row.owner === owner && row.gateway === gateway)
    for (const { owner, gateway } of this.#attributed.values()) {
      const row = rowOf(owner, gateway)
      if (row !== undefined) row.acknowledged++
    }
    for (const { mark, gateway, at, readyAt } of this.#heard) {
      const command = this.#attributed.get(mark)
      // A socket that came later is told with its replay.
      if (command === undefined || readyAt > command.askedAt) continue
      rowOf(command.owner, gateway)?.lateMs.push(Math.max(0, at - command.at))
    }
    return rows
  }
}
