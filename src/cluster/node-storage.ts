/**
 * The cluster engine's view of nodes and shards, on PostgreSQL alone. A node lives while its session holds the lock of its row,
 * so the engine needs neither heartbeats nor health checks: the next look of every node, a quarter of a second later at most,
 * shows that a node ended.
 */
import { Effect } from "effect"
import { ClusterError, RunnerStorage } from "effect/cluster"
import type { NodeSession } from "../store/cluster/node-session.ts"
import {
  listHeldShards,
  listNodes,
  lockShards,
  registerNode,
  unlockShard,
  unlockShards,
  unregisterNode,
} from "../store/cluster/nodes.ts"
import type { Queryable } from "../store/pool/statement.ts"

export interface NodeStorageOptions {
  readonly session: NodeSession
  /** The name of this process in presence and owner rows. */
  readonly node: string
  /** In which the engine expects the answer of `acquire`. */
  readonly acquireWithinMs: number
  /** Called after each look with the addresses of the living nodes by their names. */
  readonly seen: (living: ReadonlyMap<string, string>) => void
  /** Shards came to this node. */
  readonly arrived: (shardIds: ReadonlyArray<string>) => void
  /** The session was lost and this node is back: other nodes may have taken it for gone. */
  readonly returned: () => void
}

interface Registration {
  readonly address: string
  readonly runner: string
  /** The session under which the lock of the row was taken. */
  readonly session: number
}

/**
 * Shards come one after the other from a node that leaves, or that has not noticed yet that this one joined. After each answer
 * the engine asks for the rest only a second later, so an answer waits until all shards are here, or until no more of them come.
 */
const ACQUIRE_PAUSE_MS = 40
const NO_MORE_AFTER_MS = 250
/** Of the time in which the engine expects an answer. */
const ACQUIRE_SHARE = 0.9

class AddressTaken extends Error {
  override readonly name = "AddressTaken"

  constructor(address: string) {
    super(`Another node that lives has the address ${address}.`)
  }
}

/** The engine names a shard "default:17". */
const numberOf = (shardId: string): number => Number(shardId.slice(shardId.lastIndexOf(":") + 1))

class NodeStorage {
  readonly #options: NodeStorageOptions
  #registration: Registration | undefined
  /** The registration under a new session, while it goes on. */
  #returning: Promise<void> | undefined

  constructor(options: NodeStorageOptions) {
    this.#options = options
  }

  /** Before a statement counts, the session must hold the lock of this node's row. */
  #run<A>(statement: (sql: Queryable) => Promise<A>): Promise<A> {
    return this.#options.session.run(async (sql, number) => {
      const known = this.#registration
      if (known !== undefined && known.session !== number) await this.#return(sql, number, known)
      return statement(sql)
    })
  }

  /** Once for all statements that found the new session. */
  #return(sql: Queryable, session: number, known: Registration): Promise<void> {
    this.#returning ??= this.#register(sql, session, known)
      .then(() => this.#options.returned())
      .finally(() => {
        this.#returning = undefined
      })
    return this.#returning
  }

  async #register(
    sql: Queryable,
    session: number,
    { address, runner }: Pick<Registration, "address" | "runner">,
  ): Promise<number> {
    const id = await registerNode(sql, { address, runner, node: this.#options.node })
    if (id === null) throw new AddressTaken(address)
    this.#registration = { address, runner, session }
    return id
  }

  async runners(): Promise<Array<readonly [runner: string, healthy: boolean]>> {
    const rows = await this.#run(listNodes)
    this.#options.seen(new Map(rows.filter(({ isLiving }) => isLiving).map(({ node, address }) => [node, address])))
    return rows.map(({ runner, isLiving }) => [runner, isLiving])
  }

  register(address: string, runner: string): Promise<number> {
    return this.#options.session.run((sql, number) => this.#register(sql, number, { address, runner }))
  }

  async unregister(address: string): Promise<void> {
    this.#registration = undefined
    await this.#run((sql) => unregisterNode(sql, address))
  }

  async acquire(shardIds: ReadonlyArray<string>): Promise<Array<string>> {
    const wanted = shardIds.map(numberOf)
    const held = new Set(await this.#run(listHeldShards))
    const until = performance.now() + this.#options.acquireWithinMs * ACQUIRE_SHARE
    let cameAt = performance.now()
    while (true) {
      const missing = wanted.filter((shard) => !held.has(shard))
      if (missing.length === 0) break
      const came = await this.#run((sql) => lockShards(sql, missing))
      const now = performance.now()
      if (came.length > 0) cameAt = now
      for (const shard of came) held.add(shard)
      const isDone = held.size > 0 && now - cameAt > NO_MORE_AFTER_MS
      if (came.length === missing.length || isDone || now > until) break
      await new Promise((resolve) => setTimeout(resolve, ACQUIRE_PAUSE_MS))
    }
    const acquired = shardIds.filter((shardId) => held.has(numberOf(shardId)))
    this.#options.arrived(acquired)
    return acquired
  }

  async refresh(shardIds: ReadonlyArray<string>): Promise<Array<string>> {
    const held = await this.#run(listHeldShards)
    return shardIds.filter((shardId) => held.has(numberOf(shardId)))
  }

  release(shardId: string): Promise<void> {
    return this.#run((sql) => unlockShard(sql, numberOf(shardId)))
  }

  releaseAll(): Promise<void> {
    return this.#run(unlockShards)
  }
}

const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, ClusterError.PersistenceError> =>
  Effect.tryPromise({ try: work, catch: (cause) => new ClusterError.PersistenceError({ cause }) })

export const makeNodeStorage = (options: NodeStorageOptions): RunnerStorage.RunnerStorage["Service"] => {
  const storage = new NodeStorage(options)
  return RunnerStorage.makeEncoded({
    getRunners: attempt(() => storage.runners()),
    register: (address, runner) => attempt(() => storage.register(address, runner)),
    unregister: (address) => attempt(() => storage.unregister(address)),
    // The locks alone say which nodes live.
    setRunnerHealth: () => Effect.void,
    acquire: (_, shardIds) => attempt(() => storage.acquire(shardIds)),
    refresh: (_, shardIds) => attempt(() => storage.refresh(shardIds)),
    release: (_, shardId) => attempt(() => storage.release(shardId)),
    releaseAll: () => attempt(() => storage.releaseAll()),
  })
}
