/**
 * How the users behind tokens and sockets stand: whether what their grant rests on still holds, and which role they have at the
 * event now. Looked up when a token comes; looked up again for all open sockets every few seconds, and at once for those that
 * a change made in this process concerns. Users without a grant of their own (guests, registrants, anonymous viewers) have no basis.
 */
import { Deferred, Duration, Effect, Exit } from "effect"
import type { GrantChange } from "../identity/grant-bell.ts"
import type { Unavailable } from "../model/errors.ts"
import { type Basis, type EventStanding, type Footing, holds, standingOf } from "../model/grants.ts"
import { CLOSE } from "../protocol/close-codes.ts"
import { type FootingQuestion, findFootings } from "../store/footings.ts"
import type { Connection } from "./connection.ts"
import type { Surroundings } from "./surroundings.ts"

/** Questions in one statement. */
const BATCH = 500
/** From the start of one statement to the start of the next: a statement of 50 questions costs a tenth of 50 statements of one. */
const GATHER = Duration.millis(10)

/**
 * Asks for many at a time. A question that comes alone is asked at once. Those that come within `GATHER`, or while a statement
 * runs, share the next one, so that a storm of joins costs few statements.
 */
interface Waiting {
  readonly question: FootingQuestion
  readonly answer: Deferred.Deferred<Footing, Unavailable>
}

export class Footings {
  readonly #around: Pick<Surroundings, "database" | "fork">
  readonly #waiting: Waiting[] = []
  #isAsking = false

  constructor(around: Pick<Surroundings, "database" | "fork">) {
    this.#around = around
  }

  find(basis: Basis, eventId: string): Effect.Effect<Footing, Unavailable> {
    return Effect.suspend(() => {
      const answer = Deferred.makeUnsafe<Footing, Unavailable>()
      this.#waiting.push({ question: { basis, eventId }, answer })
      if (!this.#isAsking) {
        this.#isAsking = true
        this.#around.fork(this.#askAll)
      }
      return Deferred.await(answer)
    })
  }

  readonly #askAll = Effect.gen({ self: this }, function* () {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH)
      const [lasted] = yield* Effect.timed(this.#askFor(batch))
      yield* Effect.sleep(Duration.subtract(GATHER, lasted))
    }
    this.#isAsking = false
  })

  #askFor(batch: ReadonlyArray<Waiting>): Effect.Effect<void> {
    const found = this.#around.database.run((sql) =>
      findFootings(
        sql,
        batch.map(({ question }) => question),
      ),
    )
    return Effect.map(Effect.exit(found), (exit) => {
      for (const [index, { answer }] of batch.entries()) {
        Deferred.doneUnsafe(answer, Exit.isSuccess(exit) ? footingAt(exit.value, index) : Exit.failCause(exit.cause))
      }
    })
  }
}

const footingAt = (footings: ReadonlyArray<Footing>, index: number): Exit.Exit<Footing> => {
  const footing = footings[index]
  return footing === undefined ? Exit.die(new Error("a question was not answered")) : Exit.succeed(footing)
}

interface Backed {
  readonly connection: Connection
  readonly basis: Basis
}

interface Needs {
  readonly connections: () => Iterable<Connection>
  /** The user stands otherwise at the event than the connection knows. */
  readonly stands: (connection: Connection, standing: EventStanding) => void
}

const concerns = (change: GrantChange, { basis, connection }: Backed): boolean => {
  const own: GrantChange = {
    workspaceId: basis.workspaceId,
    userId: basis.userId,
    eventId: connection.eventId,
    ...(basis.login !== null && { accountId: basis.login.accountId, sessionId: basis.login.sessionId }),
    ...(basis.keyId !== null && { keyId: basis.keyId }),
  }
  return (Object.keys(change) as ReadonlyArray<keyof GrantChange>).every((field) => own[field] === change[field])
}

export class StandingWatch {
  readonly #around: Surroundings
  readonly #needs: Needs
  #lookedAt: number
  #isLooking = false
  /** Changes that came while a look was under way. */
  #rung: GrantChange[] = []
  /** Grows with every change: a footing that was asked for before it may be of before it. */
  #generation = 0

  constructor(around: Surroundings, needs: Needs, now: number) {
    this.#around = around
    this.#needs = needs
    this.#lookedAt = now
  }

  get generation(): number {
    return this.#generation
  }

  /** Looks again, if it is time to. */
  sweep(now: number): void {
    if (this.#isLooking || now - this.#lookedAt < this.#around.options.recheckMs) return
    this.#lookedAt = now
    this.#look(this.#backed())
  }

  /** Something that grants rest on is gone, or a role is another. */
  rung(change: GrantChange): void {
    this.#generation++
    this.#rung.push(change)
    this.#lookAtRung()
  }

  #lookAtRung(): void {
    if (this.#isLooking || this.#rung.length === 0) return
    const changes = this.#rung
    this.#rung = []
    this.#look(this.#backed().filter((backed) => changes.some((change) => concerns(change, backed))))
  }

  #backed(): ReadonlyArray<Backed> {
    const backed: Backed[] = []
    for (const connection of this.#needs.connections()) {
      if (connection.basis !== undefined) backed.push({ connection, basis: connection.basis })
    }
    return backed
  }

  #look(backed: ReadonlyArray<Backed>): void {
    if (backed.length === 0) return
    this.#isLooking = true
    const { database, fork, telemetry } = this.#around
    const lookAt = (some: ReadonlyArray<Backed>) =>
      Effect.map(
        database.run((sql) =>
          findFootings(
            sql,
            some.map(({ basis, connection: { eventId } }) => ({ basis, eventId })),
          ),
        ),
        (footings) => this.#judge(some, footings),
      )
    const batches = Array.from({ length: Math.ceil(backed.length / BATCH) }, (_, n) =>
      backed.slice(n * BATCH, (n + 1) * BATCH),
    )
    fork(
      Effect.forEach(batches, lookAt, { discard: true }).pipe(
        // Sockets that cannot be looked at stay, and are looked at the next time.
        Effect.catch((err) =>
          Effect.sync(() => telemetry.log.warn({ err }, "grants behind sockets could not be looked at")),
        ),
        Effect.ensuring(
          Effect.sync(() => {
            this.#isLooking = false
            this.#lookAtRung()
          }),
        ),
      ),
    )
  }

  #judge(backed: ReadonlyArray<Backed>, footings: ReadonlyArray<Footing>): void {
    for (const [index, { connection, basis }] of backed.entries()) {
      const footing = footings[index]
      // A connection that brought a new token meanwhile was looked at with it.
      if (footing === undefined || connection.basis !== basis) continue
      const standing = standingOf(footing)
      if (!holds(footing) || (standing === undefined && footing.event !== null)) connection.close(CLOSE.revoked)
      else if (standing !== undefined) this.#needs.stands(connection, standing)
    }
  }
}
