/** Addresses of share cards. A program that shows previews keeps a picture by its address, so that the address changes with the card. */
import { hash } from "node:crypto"

/** Counted up with the renderer and the fonts, whose changes the facts of a card do not show. */
export const CARD_EDITION = 1

interface CardFacts {
  readonly title: string
  readonly workspace: string
  readonly scheduledAt: string | null
  readonly timeZone: string | null
  readonly language: string | null
  readonly cancelledAt: string | null
  readonly accent: string | null
}

const VERSION_LENGTH = 8

/** `page`: the address of the event's page. */
export const cardAddress = (page: string, facts: CardFacts): string => {
  const { title, workspace, scheduledAt, timeZone, language, cancelledAt, accent } = facts
  const shown = [CARD_EDITION, title, workspace, scheduledAt, timeZone, language, cancelledAt !== null, accent]
  return `${page}/card.png?v=${hash("sha1", JSON.stringify(shown), "base64url").slice(0, VERSION_LENGTH)}`
}
