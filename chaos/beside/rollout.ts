/**
 * Which node runs which of two builds. All nodes begin with the one before. Nodes are replaced one at a time; when all have been,
 * they go back in the same way, unless the build after has migrations of its own: the build before refuses such a schema.
 */
import { type Build, migrationsBeyond } from "../site/build.ts"

export class Rollout {
  readonly before: Build
  readonly after: Build
  /** The build after has these and the build before lacks them. */
  readonly migrations: ReadonlyArray<number>
  readonly #lastsMs: number
  readonly #assigned: Array<Build>
  #begunAt: number | undefined
  #isMigrated = false
  #turns = 0

  /** `lastsMs`: of the run. A rollout without a way back is spread over it, so that both builds are side by side for most of it. */
  constructor({ before, after }: Pick<Rollout, "before" | "after">, nodes: number, lastsMs: number) {
    this.before = before
    this.after = after
    this.migrations = migrationsBeyond(after, before)
    this.#lastsMs = lastsMs
    this.#assigned = Array.from({ length: nodes }, () => before)
  }

  get hasWayBack(): boolean {
    return this.migrations.length === 0
  }

  /** The build of the node's next process: asked at each start, also after a crash. */
  buildOf(node: number): Build {
    const build = this.#isMigrated ? this.after : (this.#assigned[node] ?? this.after)
    this.#assigned[node] = build
    if (build === this.after && !this.hasWayBack) this.#isMigrated = true
    return build
  }

  /** The node that is replaced now. Its next process runs the other build, or the same one while that is all that may be. */
  turn(now: number): number {
    this.#begunAt ??= now
    const turns = this.#turns++
    const { length } = this.#assigned
    if (this.hasWayBack) {
      const node = turns % length
      this.#assigned[node] = Math.floor(turns / length) % 2 === 0 ? this.after : this.before
      return node
    }
    const next = this.#assigned.indexOf(this.before)
    const replaced = this.#assigned.filter((build) => build === this.after).length
    const isDue = now - this.#begunAt >= (replaced / length) * this.#lastsMs
    if (next >= 0 && isDue) {
      this.#assigned[next] = this.after
      return next
    }
    const done = this.#assigned.flatMap((build, node) => (build === this.after ? [node] : []))
    return done[turns % done.length] ?? 0
  }

  /** From now on every node starts as the build after. */
  finish(): void {
    this.#assigned.fill(this.after)
  }
}
