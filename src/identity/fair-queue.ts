/**
 * Costly work that strangers may ask for, such as hashing a password: the running and the waiting jobs are bounded. The queue is
 * fair by caller: callers take turns, however many jobs one has. Known callers come first, suspect ones last. When the queue is
 * full, the newest job of a lesser caller is dropped, or of the caller with the most jobs; else the newcomer is refused.
 */

/** In the order in which they are served. */
const STANDINGS = ["known", "unknown", "suspect"] as const
export type Standing = (typeof STANDINGS)[number]

/** Work that waits for its turn. */
interface Job {
  readonly caller: string
  readonly standing: Standing
  readonly begin: () => void
  readonly refuse: () => void
}

export interface FairQueueOptions {
  /** Jobs that run at the same time. */
  readonly atOnce: number
  /** Jobs that may wait, at most. */
  readonly waiting: () => number
}

/** Callers with waiting jobs, in the order of their turns. */
class JobQueue {
  readonly #callers = new Map<string, Job[]>()
  size = 0

  push(job: Job): void {
    const own = this.#callers.get(job.caller)
    if (own === undefined) this.#callers.set(job.caller, [job])
    else own.push(job)
    this.size++
  }

  /** The oldest job of the caller whose turn it is; that caller then comes last. */
  shift(): Job | undefined {
    const [first] = this.#callers
    if (first === undefined) return undefined
    const [caller, jobs] = first
    const job = jobs.shift()
    this.#callers.delete(caller)
    if (jobs.length > 0) this.#callers.set(caller, jobs)
    this.size--
    return job
  }

  /** False: the job no longer waits. */
  remove(job: Job): boolean {
    const own = this.#callers.get(job.caller)
    const at = own?.indexOf(job) ?? -1
    if (own === undefined || at < 0) return false
    own.splice(at, 1)
    if (own.length === 0) this.#callers.delete(job.caller)
    this.size--
    return true
  }

  countOf(caller: string): number {
    return this.#callers.get(caller)?.length ?? 0
  }

  /** The newest job of the caller with the most. */
  get newestOfMost(): Job | undefined {
    let most: Job[] = []
    for (const jobs of this.#callers.values()) if (jobs.length > most.length) most = jobs
    return most.at(-1)
  }
}

export class FairQueue {
  readonly #options: FairQueueOptions
  readonly #queues: { readonly [standing in Standing]: JobQueue } = {
    known: new JobQueue(),
    unknown: new JobQueue(),
    suspect: new JobQueue(),
  }
  #running = 0

  constructor(options: FairQueueOptions) {
    this.#options = options
  }

  get waiting(): number {
    return STANDINGS.reduce((sum, standing) => sum + this.#queues[standing].size, 0)
  }

  /**
   * Calls `begin` when it is the job's turn, now or later, or `refuse` when the job is dropped. Returns a function that removes
   * it while it waits. Undefined: refused at once. A job that has begun must call `ended`.
   */
  enter(job: Job): (() => void) | undefined {
    if (this.#running < this.#options.atOnce) {
      this.#running++
      job.begin()
      return () => {}
    }
    if (this.waiting >= this.#options.waiting() && !this.#makeRoom(job)) return undefined
    const lane = this.#queues[job.standing]
    lane.push(job)
    return () => void lane.remove(job)
  }

  /** A job that had begun has ended: the next one begins. */
  ended(): void {
    const standing = STANDINGS.find((one) => this.#queues[one].size > 0)
    const next = standing === undefined ? undefined : this.#queues[standing].shift()
    if (next === undefined) this.#running--
    else next.begin()
  }

  #makeRoom({ caller, standing }: Job): boolean {
    for (const lesser of STANDINGS.slice(STANDINGS.indexOf(standing) + 1).reverse()) {
      const last = this.#queues[lesser].newestOfMost
      if (last !== undefined) return this.#giveWay(this.#queues[lesser], last)
    }
    const lane = this.#queues[standing]
    const most = lane.newestOfMost
    // A caller with as many jobs as the newcomer would have does not give way.
    if (most === undefined || lane.countOf(most.caller) <= lane.countOf(caller) + 1) return false
    return this.#giveWay(lane, most)
  }

  #giveWay(lane: JobQueue, job: Job): boolean {
    lane.remove(job)
    job.refuse()
    return true
  }
}
