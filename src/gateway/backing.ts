/**
 * What a token of an account rests on, and whether it still does: the password it was minted under, and the role in the
 * workspace where the role at the event came from it. Looked at when a token comes, and now and then while its sockets are
 * open: one query for all of a node's, so that no account that lost its right hosts on until its session ends.
 */
import { Effect } from "effect"
import type { GatewayGrant } from "../identity/tokens.ts"
import { type AccountStanding, findAccountStandings } from "../store/accounts.ts"
import type { Connection } from "./connection.ts"
import { CLOSE } from "./protocol/close-codes.ts"
import type { Surroundings } from "./surroundings.ts"

/** As it was when the token was minted; `workspaceRole: null`: the role at the event did not come from one. */
export type Backing = AccountStanding

export const backingOf = ({ account, workspaceId }: GatewayGrant): Backing | undefined =>
  account === undefined
    ? undefined
    : {
        accountId: account.id,
        workspaceId,
        credentialsVersion: account.credentialsVersion,
        workspaceRole: account.workspaceRole ?? null,
      }

const keyOf = ({ accountId, workspaceId }: Pick<Backing, "accountId" | "workspaceId">): string =>
  `${accountId} ${workspaceId}`

/** `now`: how the account stands; an account that is gone does not. */
export const stillHolds = (backing: Backing, now: Backing | undefined): boolean =>
  now?.credentialsVersion === backing.credentialsVersion &&
  (backing.workspaceRole === null || now.workspaceRole === backing.workspaceRole)

interface Backed {
  readonly connection: Connection
  readonly backing: Backing
}

export class BackingWatch {
  readonly #around: Surroundings
  #lookedAt: number
  #isLooking = false

  constructor(around: Surroundings, now: number) {
    this.#around = around
    this.#lookedAt = now
  }

  /** Looks again, if it is time to. */
  sweep(connections: ReadonlySet<Connection>, now: number): void {
    if (this.#isLooking || now - this.#lookedAt < this.#around.options.recheckMs) return
    this.#lookedAt = now
    const backed = [...connections].flatMap((connection): ReadonlyArray<Backed> => {
      const { backing } = connection
      return backing === undefined ? [] : [{ connection, backing }]
    })
    if (backed.length > 0) this.#look(backed)
  }

  #look(backed: ReadonlyArray<Backed>): void {
    const { fork, database, telemetry } = this.#around
    const accounts = new Map(backed.map(({ backing }) => [keyOf(backing), backing]))
    this.#isLooking = true
    fork(
      database
        .run((sql) => findAccountStandings(sql, [...accounts.values()]))
        .pipe(
          Effect.match({
            onSuccess: (standings) => closeUnbacked(backed, standings),
            // Who cannot be looked at stays, and is looked at the next time.
            onFailure: (err) => telemetry.log.warn({ err }, "accounts behind sockets could not be looked at"),
          }),
          Effect.ensuring(
            Effect.sync(() => {
              this.#isLooking = false
            }),
          ),
        ),
    )
  }
}

/** Whoever brought a new token meanwhile was looked at with it. */
const closeUnbacked = (backed: ReadonlyArray<Backed>, standings: ReadonlyArray<AccountStanding>): void => {
  const now = new Map(standings.map((standing) => [keyOf(standing), standing]))
  for (const { connection, backing } of backed) {
    if (connection.backing === backing && !stillHolds(backing, now.get(keyOf(backing)))) connection.close(CLOSE.revoked)
  }
}
