/**
 * The cluster engine's view of nodes and shards, based on PostgreSQL alone. A node is alive while its session holds the lock of its row, so
 * the engine needs neither heartbeats nor health checks: every other node notices the end of a node at its next read, at most a quarter of
 * a second later.
 */
import { Effect } from "effect"
import { ClusterError, RunnerStorage } from "effect/cluster"
import { endFormer, type NodeSession, type Step } from "../store/cluster/node-session.ts"
import {
  listHeldShards,
  listNodes,
  lockShards,
  registerNode,
  unlockShard,
  unlockShards,
  unregisterNode,
} from "../store/cluster/nodes.ts"
import type { SessionIdentity } from "../store/pool/session.ts"

interface NodeStorageOptions {
  readonly session: NodeSession
  /** Name of this process in presence and owner rows. */
  readonly node: string
  /** Time in which the engine expects the answer of `acquire`. */
  readonly acquireWithinMs: number
  /** Called after each read with the addresses of the living nodes by name. */
  readonly seen: (living: ReadonlyMap<string, string>) => void
  /** Called when shards have moved to this node. */
  readonly arrived: (shardIds: ReadonlyArray<string>) => void
  /** Called when the session was replaced: other nodes may have considered this one gone meanwhile. */
  readonly returned: () => void
}

interface Registration {
  readonly address: string
  readonly runner: string
}

/**
 * Shards arrive one after the other from a node that leaves, or that has not noticed yet that this one joined. After each answer the engine
 * asks for the rest only a second later, so an answer waits until all shards have arrived, or until no more arrive.
 */
const ACQUIRE_PAUSE_MS = 40
const NO_MORE_AFTER_MS = 250
/** The locks of a terminated session are released slightly later, so they are tried repeatedly. */
const RETAKE_TRIES = 10
const RETAKE_PAUSE_MS = 10
/** Longest answer to `acquire`, as a share of the time in which the engine expects one. */
const ACQUIRE_SHARE = 0.9
/** A session counts as silent after this share of that time. */
const SILENT_SHARE = 0.75

class AddressTaken extends Error {
  override readonly name = "AddressTaken"

  constructor(address: string) {
    super(`Another node that lives has the address ${address}.`)
  }
}

/** Number of a shard, which the engine names "default:17". */
const numberOf = (shardId: string): number => Number(shardId.slice(shardId.lastIndexOf(":") + 1))

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

class NodeStorage {
  readonly #options: NodeStorageOptions
  #registration: Registration | undefined
  /** The shards of this node, as far as it knows: a new session takes them again. */
  readonly #held = new Set<number>()
  /** Time until which the engine may learn that a shard arrived: infinite while a request for it is open. Monotonic milliseconds. */
  readonly #askedUntil = new Map<number, number>()

  constructor(options: NodeStorageOptions) {
    this.#options = options
    options.session.onReplaced = (step, former) => this.#retake(step, former)
  }

  /**
   * Takes all locks again with a new session. The lock of the row comes first, while the former session may still hold that of the previous
   * row: the other nodes see a living node all the time.
   */
  async #retake(step: Step, former: ReadonlyArray<SessionIdentity>): Promise<void> {
    const known = this.#registration
    if (known !== undefined) await this.#register(step, known, former)
    await endFormer(step, former)
    let missing = [...this.#held]
    for (let tries = 0; tries < RETAKE_TRIES && missing.length > 0; tries++) {
      if (tries > 0) await pause(RETAKE_PAUSE_MS)
      const wanted = missing
      const came = new Set(await step((sql) => lockShards(sql, wanted)))
      missing = wanted.filter((shard) => !came.has(shard))
    }
    // Another node has these shards.
    for (const shard of missing) this.#held.delete(shard)
    this.#options.returned()
  }

  async #register(
    step: Step,
    { address, runner }: Registration,
    former: ReadonlyArray<SessionIdentity> = [],
  ): Promise<number> {
    const row = { address, runner, node: this.#options.node }
    const pids = former.map(({ pid }) => pid)
    const id = await step((sql) => registerNode(sql, row, pids))
    if (id === null) throw new AddressTaken(address)
    return id
  }

  async runners(): Promise<Array<readonly [runner: string, healthy: boolean]>> {
    const rows = await this.#options.session.run(listNodes)
    const living = rows.filter(({ isLiving }) => isLiving)
    this.#options.seen(new Map(living.map(({ node, address }) => [node, address])))
    return rows.map(({ runner, isLiving }) => [runner, isLiving])
  }

  async register(address: string, runner: string): Promise<number> {
    const { session } = this.#options
    const id = await this.#register((statement) => session.run(statement), { address, runner })
    this.#registration = { address, runner }
    return id
  }

  async unregister(address: string): Promise<void> {
    this.#registration = undefined
    await this.#options.session.run((sql) => unregisterNode(sql, address))
  }

  async acquire(shardIds: ReadonlyArray<string>): Promise<Array<string>> {
    const wanted = shardIds.map(numberOf)
    const askUntil = (until: number): void => {
      for (const shard of wanted) this.#askedUntil.set(shard, until)
    }
    askUntil(Number.POSITIVE_INFINITY)
    try {
      return await this.#acquire(shardIds, wanted)
    } finally {
      askUntil(performance.now() + this.#options.acquireWithinMs)
    }
  }

  async #acquire(shardIds: ReadonlyArray<string>, wanted: ReadonlyArray<number>): Promise<Array<string>> {
    const { session } = this.#options
    const until = performance.now() + this.#options.acquireWithinMs * ACQUIRE_SHARE
    let cameAt = performance.now()
    let missing = wanted
    while (missing.length > 0) {
      const asked = missing
      const came = new Set(await session.run((sql) => lockShards(sql, asked)))
      const now = performance.now()
      if (came.size > 0) cameAt = now
      for (const shard of came) this.#held.add(shard)
      missing = asked.filter((shard) => !came.has(shard))
      const isDone = missing.length < wanted.length && now - cameAt > NO_MORE_AFTER_MS
      if (missing.length === 0 || isDone || now > until) break
      await pause(ACQUIRE_PAUSE_MS)
    }
    const absent = new Set(missing)
    const acquired = shardIds.filter((shardId) => !absent.has(numberOf(shardId)))
    this.#options.arrived(acquired)
    return acquired
  }

  async refresh(shardIds: ReadonlyArray<string>): Promise<Array<string>> {
    const toldAt = performance.now()
    const held = await this.#listHeld()
    // The session is silent, and its locks are still ours until the server terminates it.
    if (held === undefined) return shardIds.filter((shardId) => this.#held.has(numberOf(shardId)))
    const known = new Set(shardIds.map(numberOf))
    await this.#unlockStrays(
      [...held].filter((shard) => !known.has(shard)),
      toldAt,
    )
    return shardIds.filter((shardId) => held.has(numberOf(shardId)))
  }

  /**
   * The shards held by the session; `undefined` when the session is silent, and may answer later. The engine would release all shards after
   * waiting that long, while a new session takes only slightly longer.
   */
  async #listHeld(): Promise<ReadonlySet<number> | undefined> {
    const { session, acquireWithinMs } = this.#options
    const answer = session.run(listHeldShards)
    answer.catch(() => {})
    let late: NodeJS.Timeout | undefined
    const silent = new Promise<undefined>((resolve) => {
      late = setTimeout(() => resolve(undefined), acquireWithinMs * SILENT_SHARE)
    })
    const held = await Promise.race([answer, silent]).finally(() => clearTimeout(late))
    return held === undefined && !session.held() ? answer : held
  }

  /**
   * Unlocks shards that arrived after the engine had stopped waiting for them: it does not know them, and no other node could take them.
   * `toldAt`: when the engine listed the shards that it knows.
   */
  async #unlockStrays(strays: ReadonlyArray<number>, toldAt: number): Promise<void> {
    for (const shard of strays) {
      // A request that arrived meanwhile may have given the shard to the engine.
      if (toldAt < (this.#askedUntil.get(shard) ?? 0)) continue
      this.#held.delete(shard)
      await this.#options.session.run((sql) => unlockShard(sql, shard))
    }
  }

  async release(shardId: string): Promise<void> {
    const shard = numberOf(shardId)
    this.#held.delete(shard)
    await this.#options.session.run((sql) => unlockShard(sql, shard))
  }

  async releaseAll(): Promise<void> {
    this.#held.clear()
    await this.#options.session.run(unlockShards)
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
    // Only the locks determine which nodes are alive.
    setRunnerHealth: () => Effect.void,
    acquire: (_, shardIds) => attempt(() => storage.acquire(shardIds)),
    refresh: (_, shardIds) => attempt(() => storage.refresh(shardIds)),
    release: (_, shardId) => attempt(() => storage.release(shardId)),
    releaseAll: () => attempt(() => storage.releaseAll()),
  })
}
