/**
 * The commits of all live events of this process. While a few transactions are under way further commits are gathered, and the next
 * transaction takes many of them: with many small events, transactions and round trips cost more than rows. A commit that comes alone
 * is sent at once. Invariant: each has its own fence, and one that is refused undoes none of the others.
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

/** Transactions under way while commits are gathered; one writes while another waits for the disk. */
const TRANSACTIONS = 3
/** A transaction that takes longer does not hold the others up. */
const SLOW_MS = 100
/** Commits of one transaction: PostgreSQL keeps up to 64 subtransactions at hand. */
const MOST_TOGETHER = 32
/** Characters of JSON. A commit that writes more is not worth gathering, and would delay the others. */
const LARGE = 16_384

interface Waiting {
  readonly commit: WrittenCommit
  readonly resolve: (deliveries: number) => void
  readonly reject: (cause: unknown) => void
}

export class CommitGroups {
  readonly #sql: Queryable
  /** An event has one commit at a time, so no more wait than events are in memory. */
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
    // The deletion of an event deletes all that was written of it, however much that is.
    if (commit.deleted || written.written.length > LARGE) return runCommit(this.#sql, written)
    return new Promise((resolve, reject) => this.#gathering.add({ commit: written, resolve, reject }))
  }

  async #send(group: ReadonlyArray<Waiting>): Promise<void> {
    if (group.length === 1) return this.#sendAlone(group)
    const results = await runCommits(
      this.#sql,
      group.map(({ commit }) => commit),
    ).catch((cause: unknown) => {
      // Text that PostgreSQL does not read as JSON fails the statement before any commit of it begins.
      if (isRefusal(cause)) return group.map(() => undefined)
      for (const { reject } of group) reject(cause)
      return undefined
    })
    if (results === undefined) return
    // The refusal of one that is sent alone says why, and a row that was locked may be free by now.
    void this.#sendAlone(group.filter((_, index) => results[index] === undefined))
    group.forEach(({ resolve }, index) => {
      const deliveries = results[index]
      if (deliveries !== undefined) resolve(deliveries)
    })
  }

  /** Each in a transaction of its own. */
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
