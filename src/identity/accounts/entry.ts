/** Entry tokens: the link in a registrant's email. It may be opened any number of times until a day after the event. */
import { Effect } from "effect"
import { Database, type Queryable } from "../../store/database.ts"
import { findByEntryToken, insertEntryToken, noteEntry } from "../../store/events/registrations.ts"
import { hashSecret, newSecret } from "../secrets.ts"
import { INVALID_TOKEN } from "../tokens.ts"

/** Resolves to the token itself, for a link. */
const issueEntryToken = async (sql: Queryable, registrationId: string): Promise<string> => {
  const token = newSecret()
  await insertEntryToken(sql, hashSecret(token), registrationId)
  return token
}

/** Address in a registrant's emails. */
const entryLinkOf = (appUrl: string, eventId: string, token: string): string =>
  `${appUrl}/enter/${eventId}#token=${token}`

/** Address in a registrant's emails that gives the place up. It is this server's own, whatever application shows the event. */
const leaveLinkOf = (publicUrl: string, eventId: string, token: string): string =>
  `${publicUrl}/leave/${eventId}#token=${token}`

/** Address in the emails of people without a place: their page, which shows the state of the registration and takes an offer. */
const placeLinkOf = (publicUrl: string, eventId: string, token: string): string =>
  `${publicUrl}/place/${eventId}#token=${token}`

/** Address in a registrant's emails that shows and changes the answers to the registration form, a page of this server's too. */
const answersLinkOf = (publicUrl: string, eventId: string, token: string): string =>
  `${publicUrl}/answers/${eventId}#token=${token}`

/** Issues a token for the links of an email to a registrant, in the caller's transaction. */
export const issueLinks = async (
  sql: Queryable,
  { appUrl, publicUrl }: { readonly appUrl: string; readonly publicUrl: string },
  { eventId, registrationId }: { readonly eventId: string; readonly registrationId: string },
): Promise<{ readonly enter: string; readonly leave: string; readonly place: string; readonly answers: string }> => {
  const token = await issueEntryToken(sql, registrationId)
  return {
    enter: entryLinkOf(appUrl, eventId, token),
    leave: leaveLinkOf(publicUrl, eventId, token),
    place: placeLinkOf(publicUrl, eventId, token),
    answers: answersLinkOf(publicUrl, eventId, token),
  }
}

/** The registration of a token of this event, in any state; fails with `Unauthorized` for any other token. */
export const readEntryToken = (eventId: string, token: string) =>
  Effect.gen(function* () {
    const database = yield* Database
    const tokenHash = hashSecret(token)
    const found = yield* database.run((sql) => findByEntryToken(sql, tokenHash))
    if (found === undefined || found.eventId !== eventId) return yield* INVALID_TOKEN
    yield* database.run((sql) => noteEntry(sql, tokenHash))
    return found
  })
