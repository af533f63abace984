/** Webhooks about seats at an event, written by the transaction that takes or releases one. */
import type { GivenAnswer } from "../../../model/forms/form.ts"
import { newId } from "../../../model/ids.ts"
import { registeredAs } from "../../../model/participants.ts"
import type { Timestamp } from "../../../model/timestamp.ts"
import type { Queryable } from "../../../store/database.ts"
import { appendOccurrences } from "../../../store/webhooks/outbox.ts"

interface Registrant {
  readonly id: string
  readonly name: string
  readonly email: string
}

/** `notify` of the outbox's signal is called after the commit. */
export const appendRegistrationOccurrence = (
  sql: Queryable,
  type: "registration.created" | "registration.cancelled",
  event: { readonly id: string; readonly workspaceId: string },
  { id, name, email }: Registrant,
  occurredAt: Timestamp,
  answered: { readonly answers?: ReadonlyArray<GivenAnswer> } = {},
): Promise<number> => {
  const { id: eventId, workspaceId } = event
  const extra = { registrationId: id, participantId: registeredAs(id), name, email, ...answered }
  return appendOccurrences(sql, [{ id: newId(), type, workspaceId, eventId, occurredAt, extra }])
}
