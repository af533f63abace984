/**
 * Daily domain checks: a domain that was sold must sign nobody in to the workspace that had it. A proof ends after three look-ups in a row
 * that found no record; a resolver that does not answer counts for nothing. Another workspace that proves the domain meanwhile gets it at
 * once.
 */
import { Effect, Layer } from "effect"
import { Connections, proofRecordOf } from "../../../identity/connections/connections.ts"
import { domainLostEmail } from "../../../mail/emails.ts"
import { Mailer } from "../../../mail/mailer.ts"
import { Database, type Queryable } from "../../../store/database.ts"
import { query } from "../../../store/query.ts"
import { sweepEvery } from "../../../store/sweeps.ts"
import { insertAuditEntries } from "../../../store/workspaces/audit.ts"
import { findConnection, proveDomain } from "../../../store/workspaces/connections.ts"
import { ownerAddresses } from "../../../store/workspaces/owners.ts"
import {
  endProof,
  findProof,
  noteLookUp,
  type ProvedDomain,
  takeDueProofs,
} from "../../../store/workspaces/proved-domains.ts"
import { Telemetry } from "../../../telemetry/telemetry.ts"
import { HttpSettings } from "../../requests/settings.ts"

/** Proofs that a node looks up per hour. */
const MOST = 2_000
/** Proofs that a node looks up concurrently. */
const AT_ONCE = 8

/** Notifies the owners in the transaction that ends the proof. The log names the account that created the connection as actor. */
const tellLoss = (sql: Queryable, { connectionId, domain }: ProvedDomain, requestId: string) =>
  Effect.gen(function* () {
    const { appUrl } = yield* HttpSettings
    const { post } = yield* Mailer
    yield* query(async () => {
      const connection = await findConnection(sql, connectionId)
      if (connection === undefined) return
      const { workspaceId, createdByAccountId: actorId } = connection
      const act = { action: "connection.domain_lost", actorKind: "account", actorId } as const
      await insertAuditEntries(sql, [{ ...act, workspaceId, targetId: connectionId, requestId }])
      for (const { email, name } of await ownerAddresses(sql, workspaceId)) {
        await post(sql, domainLostEmail(email, name, domain, `${appUrl}/`))
      }
    })
  })

/** Proves a domain by its DNS records, and takes it over from a connection whose record is not among them. */
export const proveBy = (
  sql: Queryable,
  found: Omit<ProvedDomain, "token">,
  records: ReadonlyArray<string>,
  requestId: string,
) =>
  Effect.gen(function* () {
    const { connectionId, domain } = found
    const before = yield* query(() => findProof(sql, domain))
    if (before !== undefined && !records.includes(proofRecordOf(before).value)) {
      yield* query(() => endProof(sql, before))
      yield* tellLoss(sql, before, requestId)
    }
    yield* proveDomain(sql, connectionId, domain)
  })

/** Looks up the proofs that are due. */
export const lookUpProofs = Effect.gen(function* () {
  const database = yield* Database
  const { recordsOf } = yield* Connections
  const due = yield* database.run((sql) => takeDueProofs(sql, MOST))
  const lookUp = (proof: ProvedDomain) =>
    Effect.gen(function* () {
      const records = yield* recordsOf(proof.domain)
      if (records === undefined) return
      const isThere = records.includes(proofRecordOf(proof).value)
      yield* database.transaction((sql) =>
        Effect.gen(function* () {
          if (yield* query(() => noteLookUp(sql, proof, isThere))) yield* tellLoss(sql, proof, "daily-look-up")
        }),
      )
    })
  yield* Effect.forEach(due, lookUp, { concurrency: AT_ONCE, discard: true })
})

export const domainProofsLayer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { provesDomains } = yield* Connections
    const { log } = yield* Telemetry
    const parts = yield* Effect.context<Database | Connections | HttpSettings | Mailer>()
    if (provesDomains) yield* Effect.forkScoped(sweepEvery("1 hour", log, Effect.provide(lookUpProofs, parts)))
  }),
)
