/** Webhooks about registrations of an event, written by the transaction that changes their state. */
import type { GivenAnswer } from "../../model/forms/form.ts"
import { newId } from "../../model/ids.ts"
import { registeredAs } from "../../model/participants.ts"
import type { RegistrationState } from "../../model/registration.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { appendOccurrences } from "./outbox.ts"

interface Registrant {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly state: RegistrationState
  /** Answers of somebody who has just registered, in the webhooks that have them. */
  readonly given?: ReadonlyArray<GivenAnswer>
}

/** `registration.created` is a place that was taken at once. */
type Change = "created" | "cancelled" | RegistrationState

/** Resolves to the number of deliveries. `notify` of the outbox's signal is called after the commit. */
export const appendRegistrationOccurrences = (
  sql: Queryable,
  change: Change,
  event: { readonly id: string; readonly workspaceId: string },
  registrants: ReadonlyArray<Registrant>,
  occurredAt: Timestamp,
): Promise<number> => {
  const { id: eventId, workspaceId } = event
  const type = `registration.${change}` as const
  return appendOccurrences(
    sql,
    registrants.map(({ id, name, email, state, given }) => {
      const answered = given === undefined ? {} : { answers: given }
      const extra = { registrationId: id, participantId: registeredAs(id), name, email, state, ...answered }
      return { id: newId(), type, workspaceId, eventId, occurredAt, extra }
    }),
  )
}
