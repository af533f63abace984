/**
 * Checks the grants of the people behind open sockets: for users, whether the basis still holds, and the current role at the event; for
 * guests of partners, whether their erasure ended the session.
 * All open sockets are checked every few seconds; sockets concerned by a change in this process are checked at once. The two kinds of check
 * run concurrently and take turns at the database, so that neither delays the other by more than a statement. A result is applied before
 * the next statement is sent, so that an older state never replaces a newer one. Registrants and anonymous viewers are not checked here:
 * the live event removes them, or its visibility does.
 */
import { Duration, Effect, Semaphore } from "effect"
import type { GrantChange } from "../../identity/grant-changes.ts"
import { accessOf, type EventAccess, type GrantState, holds } from "../../model/grants.ts"
import type { EventRole } from "../../model/roles.ts"
import { CLOSE } from "../../protocol/wire/close-codes.ts"
import { findGrantStates } from "../../store/accounts/grant-states.ts"
import { areErased } from "../../store/personal/erased-guests.ts"
import type { Connection } from "../connection/connection.ts"
import type { GatewayServices } from "../services.ts"
import { ChangeIndex, type GuestGround, RecentChanges, type UserGround } from "./recent-changes.ts"
import { BATCH } from "./shared-lookups.ts"

/** Time from the start of one check for changes to the start of the next: all changes within it cost one pass over the sockets. */
const GATHER = Duration.millis(25)
/** Delay before all sockets are checked again after a failed check. */
const RETRY_MS = 1000

interface UserSocket extends UserGround {
  readonly connection: Connection
}

interface GuestSocket extends GuestGround {
  readonly connection: Connection
  /** End of the session of the last token. */
  readonly expiresAt: number
}

interface Checked {
  readonly users: ReadonlyArray<UserSocket>
  readonly guests: ReadonlyArray<GuestSocket>
}

const inBatches = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / BATCH) }, (_, n) => all.slice(n * BATCH, (n + 1) * BATCH))

interface Needs {
  readonly connections: () => Iterable<Connection>
  /** Called with the user's access to the event, and their role in the workspace's list for it. */
  readonly roleRead: (connection: Connection, access: EventAccess, stored: EventRole | null) => void
}

export class GrantWatch {
  readonly #services: GatewayServices
  readonly #needs: Needs
  /** Time of the next check of all sockets; Unix milliseconds. */
  #dueAt: number
  #isLookingAtAll = false
  #isLookingAtChanged = false
  /** Changes that arrived during a check for changes. */
  #waiting: GrantChange[] = []
  /** Called when the sockets reflect the waiting changes. */
  #afterWaiting: Array<() => void> = []
  /** Called after the running check for changes. */
  #afterLook: Array<() => void> | undefined
  /** Called after the check of all sockets that follows a failure. */
  #afterAll: Array<() => void> = []
  /** First come, first served. */
  readonly #turns = Semaphore.makeUnsafe(1)
  /** Recent changes: a grant state that was requested before a change may predate it. */
  readonly changes = new RecentChanges()

  constructor(services: GatewayServices, needs: Needs, now: number) {
    this.#services = services
    this.#needs = needs
    this.#dueAt = now + services.options.recheckMs
  }

  /** Checks all sockets again, if the check is due. */
  sweep(now: number): void {
    if (this.#isLookingAtAll || now < this.#dueAt) return
    this.#dueAt = now + this.#services.options.recheckMs
    this.#isLookingAtAll = true
    const then = this.#afterAll
    this.#afterAll = []
    this.#services.fork(
      Effect.ensuring(
        this.#look(this.#checked(), then),
        Effect.sync(() => {
          this.#isLookingAtAll = false
        }),
      ),
    )
  }

  /** Resolves when the sockets reflect all changes so far. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.length > 0) this.#afterWaiting.push(resolve)
      else if (this.#afterLook !== undefined) this.#afterLook.push(resolve)
      else resolve()
    })
  }

  /** Notes that the basis of grants is gone, or that a role changed. */
  changed(change: GrantChange): void {
    this.changes.add(change)
    this.#waiting.push(change)
    this.#lookAtChanged()
  }

  #lookAtChanged(): void {
    if (this.#isLookingAtChanged || this.#waiting.length === 0) return
    const changes = new ChangeIndex(this.#waiting)
    const then = this.#afterWaiting
    this.#waiting = []
    this.#afterWaiting = []
    this.#afterLook = then
    this.#isLookingAtChanged = true
    const { users, guests } = this.#checked()
    const concerned: Checked = {
      users: users.filter((socket) => changes.concerns(socket)),
      guests: guests.filter((socket) => changes.concerns(socket)),
    }
    this.#services.fork(
      this.#look(concerned, then).pipe(
        Effect.tap(() =>
          Effect.sync(() => {
            this.#afterLook = undefined
          }),
        ),
        Effect.timed,
        Effect.flatMap(([lasted]) => Effect.sleep(Duration.subtract(GATHER, lasted))),
        Effect.ensuring(
          Effect.sync(() => {
            this.#isLookingAtChanged = false
            this.#lookAtChanged()
          }),
        ),
      ),
    )
  }

  #checked(): Checked {
    const users: UserSocket[] = []
    const guests: GuestSocket[] = []
    for (const connection of this.#needs.connections()) {
      const { basis, eventId, identity, life } = connection
      if (basis !== undefined) users.push({ connection, basis, eventId })
      else if (identity.kind === "guest") {
        guests.push({ connection, guestId: identity.participantId, eventId, expiresAt: life.sessionExpiresAt })
      }
    }
    return { users, guests }
  }

  /** `then`: called after this check, or after the check of all sockets that follows a failure. */
  #look({ users, guests }: Checked, then: Array<() => void>): Effect.Effect<void> {
    const { database, telemetry } = this.#services
    const lookAtUsers = (some: ReadonlyArray<UserSocket>) =>
      database
        .run((sql) =>
          findGrantStates(
            sql,
            some.map(({ basis, eventId }) => ({ basis, eventId })),
          ),
        )
        .pipe(
          Effect.map((states) => this.#judge(some, states)),
          this.#turns.withPermit,
        )
    const lookAtGuests = (some: ReadonlyArray<GuestSocket>) =>
      database
        .run((sql) =>
          areErased(
            sql,
            some.map(({ guestId, eventId, expiresAt }) => ({ participantId: guestId, eventId, expiresAt })),
          ),
        )
        .pipe(
          Effect.map((erased) => this.#judgeGuests(some, erased)),
          this.#turns.withPermit,
        )
    return Effect.forEach(inBatches(users), lookAtUsers, { discard: true }).pipe(
      Effect.andThen(Effect.forEach(inBatches(guests), lookAtGuests, { discard: true })),
      Effect.tap(() =>
        Effect.sync(() => {
          for (const call of then.splice(0)) call()
        }),
      ),
      // Sockets stay open when the check fails; all are checked again soon.
      Effect.tapCause(() =>
        Effect.sync(() => {
          this.#dueAt = Math.min(this.#dueAt, this.#services.timers.now() + RETRY_MS)
          this.#afterAll.push(...then)
        }),
      ),
      Effect.catch((err) =>
        Effect.sync(() => telemetry.log.warn({ err }, "grants behind sockets could not be looked at")),
      ),
    )
  }

  #judgeGuests(guests: ReadonlyArray<GuestSocket>, erased: ReadonlyArray<boolean>): void {
    for (const [index, { connection, expiresAt }] of guests.entries()) {
      // A connection that renewed its token meanwhile was checked with that token.
      if (erased[index] === true && connection.life.sessionExpiresAt === expiresAt) connection.close(CLOSE.revoked)
    }
  }

  #judge(backed: ReadonlyArray<UserSocket>, states: ReadonlyArray<GrantState>): void {
    for (const [index, { connection, basis }] of backed.entries()) {
      const state = states[index]
      // A connection that renewed its token meanwhile was checked with that token.
      if (state === undefined || connection.basis !== basis) continue
      const access = accessOf(state)
      if (!holds(state) || (access === undefined && state.event !== null)) connection.close(CLOSE.revoked)
      else if (access !== undefined) this.#needs.roleRead(connection, access, state.eventRole)
    }
  }
}
