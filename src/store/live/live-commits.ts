/**
 * Batching of the commits of all live events in this process. While a few transactions are running, further commits are gathered, and the
 * next transaction takes many of them: with many small events, transactions and round trips cost more than rows. A single commit is sent at
 * once. Invariant: each commit has its own fence, and a refused one undoes none of the others.
 */
import { Context, Effect, Layer } from "effect"
import { currentTimers, type Timers } from "../../clock/timers.ts"
import { Database, type Queryable } from "../database.ts"
import { Gathering } from "../gathering.ts"
import { isRefusal } from "../sqlstate.ts"
import {
  type CommitFailure,
  commitFailure,
  type LiveCommit,
  runCommit,
  runCommits,
  type WrittenCommit,
  writtenCommit,
} from "./live-commit.ts"

/** Maximum number of running transactions; while it is reached, commits are gathered. One writes while another waits for the disk. */
const TRANSACTIONS = 3
/** Time after which a slow transaction no longer delays the others. */
const SLOW_MS = 100
/** Maximum number of commits per transaction: PostgreSQL keeps up to 64 subtransactions in memory. */
const MOST_TOGETHER = 32
/** Characters of JSON above which a commit is not worth gathering, and would delay the others. */
const LARGE = 16_384

interface Waiting {
  readonly commit: WrittenCommit
  readonly resolve: (deliveries: number) => void
  readonly reject: (cause: unknown) => void
}

export class CommitGroups {
  readonly #sql: Queryable
  /** Bounded, because an event has one commit at a time and waits only while it is in memory. */
  readonly #gathering: Gathering<Waiting>

  constructor(sql: Queryable, timers: Timers) {
    this.#sql = sql
    this.#gathering = new Gathering({
      send: (group) => this.#send(group),
      timers,
      atOnce: TRANSACTIONS,
      most: MOST_TOGETHER,
      slowMs: SLOW_MS,
    })
  }

  /** Resolves to the number of webhook deliveries stored. */
  run(commit: LiveCommit): Promise<number> {
    const written = writtenCommit(commit)
    // Deleting an event deletes everything written about it, which may take long.
    if (commit.deleted || written.written.length > LARGE) return runCommit(this.#sql, written)
    return new Promise((resolve, reject) => this.#gathering.add({ commit: written, resolve, reject }))
  }

  async #send(group: ReadonlyArray<Waiting>): Promise<void> {
    if (group.length === 1) return this.#sendAlone(group)
    const results = await runCommits(
      this.#sql,
      group.map(({ commit }) => commit),
    ).catch((cause: unknown) => {
      // Text that PostgreSQL cannot parse as JSON fails the statement before any of its commits begins.
      if (isRefusal(cause)) return group.map(() => undefined)
      for (const { reject } of group) reject(cause)
      return undefined
    })
    if (results === undefined) return
    // A refused commit is sent again separately to learn the reason; a locked row may be free by now.
    void this.#sendAlone(group.filter((_, index) => results[index] === undefined))
    group.forEach(({ resolve }, index) => {
      const deliveries = results[index]
      if (deliveries !== undefined) resolve(deliveries)
    })
  }

  /** Sends each in a transaction of its own. */
  async #sendAlone(commits: ReadonlyArray<Waiting>): Promise<void> {
    await Promise.all(commits.map(({ commit, resolve, reject }) => runCommit(this.#sql, commit).then(resolve, reject)))
  }
}

export class LiveCommits extends Context.Service<
  LiveCommits,
  {
    /** Succeeds with the number of webhook deliveries stored. */
    readonly commit: (commit: LiveCommit) => Effect.Effect<number, CommitFailure>
  }
>()("gathercue/LiveCommits") {
  static readonly layer: Layer.Layer<LiveCommits, never, Database> = Layer.effect(
    LiveCommits,
    Effect.gen(function* () {
      const { liveSql } = yield* Database
      const groups = new CommitGroups(liveSql, yield* currentTimers)
      return {
        commit: (commit) => Effect.tryPromise({ try: () => groups.run(commit), catch: commitFailure }),
      }
    }),
  )
}
