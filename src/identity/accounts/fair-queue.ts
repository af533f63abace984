/**
 * Costly work that strangers may ask for, such as hashing a password: the running and the waiting jobs are bounded. The queue is fair by
 * caller: callers take turns, however many jobs one has. Known callers come first, suspect ones last, and a waiting class is passed over a
 * limited number of times: no class starves another. When the queue is full, the newest job of a lower class is dropped, or of the caller
 * with the most jobs; otherwise the newcomer is refused.
 */

/** Classes in the order in which they are served. */
const CALLER_CLASSES = ["known", "unknown", "suspect"] as const
export type CallerClass = (typeof CALLER_CLASSES)[number]

/** Maximum number of jobs of better classes that begin before one of a waiting class. */
const PASSED_OVER_AT_MOST = 8

/** Work that waits for its turn. */
interface Job {
  readonly caller: string
  readonly callerClass: CallerClass
  readonly begin: () => void
  readonly refuse: () => void
}

interface FairQueueOptions {
  /** Maximum number of concurrent jobs. */
  readonly atOnce: number
  /** Maximum number of waiting jobs. */
  readonly waiting: () => number
}

/** Callers with waiting jobs, in the order of their turns. */
class JobQueue {
  readonly #callers = new Map<string, Job[]>()
  size = 0
  /** Number of jobs of better classes begun since the last one of this class, while one waited. */
  passedOver = 0

  push(job: Job): void {
    const own = this.#callers.get(job.caller)
    if (own === undefined) this.#callers.set(job.caller, [job])
    else own.push(job)
    this.size++
  }

  /** The oldest job of the caller whose turn it is; that caller then goes last. */
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

  /** Returns false when the job no longer waits. */
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

  /** The newest job of the caller with the most jobs. */
  get newestOfMost(): Job | undefined {
    let most: Job[] = []
    for (const jobs of this.#callers.values()) if (jobs.length > most.length) most = jobs
    return most.at(-1)
  }
}

export class FairQueue {
  readonly #options: FairQueueOptions
  readonly #queues: { readonly [callerClass in CallerClass]: JobQueue } = {
    known: new JobQueue(),
    unknown: new JobQueue(),
    suspect: new JobQueue(),
  }
  #running = 0

  constructor(options: FairQueueOptions) {
    this.#options = options
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return CALLER_CLASSES.reduce((sum, callerClass) => sum + this.#queues[callerClass].size, 0)
  }

  /**
   * Calls `begin` when it is the job's turn, now or later, or `refuse` when the job is dropped. Returns a function that removes it while it
   * waits, or undefined when it is refused at once. A job that has begun must call `ended`.
   */
  enter(job: Job): (() => void) | undefined {
    if (this.#running < this.#options.atOnce) {
      this.#running++
      job.begin()
      return () => {}
    }
    if (this.waiting >= this.#options.waiting() && !this.#makeSpace(job)) return undefined
    const queue = this.#queues[job.callerClass]
    queue.push(job)
    return () => void queue.remove(job)
  }

  /** Called at the end of a running job, so that the next one begins. */
  ended(): void {
    const next = this.#next()?.shift()
    if (next === undefined) this.#running--
    else next.begin()
  }

  /** The first class with a job, or one that was passed over often enough; the lowest of several such. */
  #next(): JobQueue | undefined {
    const waiting = CALLER_CLASSES.map((one) => this.#queues[one]).filter(({ size }) => size > 0)
    const next = waiting.findLast(({ passedOver }) => passedOver >= PASSED_OVER_AT_MOST) ?? waiting[0]
    if (next === undefined) return undefined
    for (const lesser of waiting.slice(waiting.indexOf(next) + 1)) lesser.passedOver++
    next.passedOver = 0
    return next
  }

  #makeSpace({ caller, callerClass }: Job): boolean {
    for (const lesser of CALLER_CLASSES.slice(CALLER_CLASSES.indexOf(callerClass) + 1).reverse()) {
      const last = this.#queues[lesser].newestOfMost
      if (last !== undefined) return this.#giveWay(this.#queues[lesser], last)
    }
    const queue = this.#queues[callerClass]
    const most = queue.newestOfMost
    // A caller with no more jobs than the newcomer would have does not give way.
    if (most === undefined || queue.countOf(most.caller) <= queue.countOf(caller) + 1) return false
    return this.#giveWay(queue, most)
  }

  #giveWay(queue: JobQueue, job: Job): boolean {
    queue.remove(job)
    job.refuse()
    return true
  }
}
