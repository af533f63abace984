/** The page's texts for a failure. Codes are stable; the server's own texts may change. */
import { CommandRefused, CommandUnanswered, ConnectionClosed, RestProblem } from "@gathercue/client"

const REFUSED_TOKENS: { readonly [code: string]: string } = {
  not_found: "There is no such event, or it is not open to you. Check the id.",
  sign_in_required: "This event is for people who are signed in. Open it with the link that you were sent.",
  unauthorized: "Your link is no longer valid. Ask for a new one.",
  forbidden: "You do not have access to this event.",
  conflict: "The event is over.",
  bad_request: "This is not the id of an event.",
  rate_limited: "Too many tries from here. Wait a minute.",
}

const ENDS: { readonly [code: number]: string } = {
  1000: "You have left.",
  4303: "You do not have access to this event.",
  4304: "A host has removed you from the event.",
  4305: "You opened the event in another window, so this one was disconnected.",
  4306: "The host did not let you in.",
  4307: "The event is over. Thank you for being here.",
  4308: "There is no such event.",
  4309: "This page is out of date. Please reload it.",
}

export const whyNoConnection = (error: unknown): string => {
  if (error === null) return "You have left."
  if (error instanceof RestProblem) return REFUSED_TOKENS[error.code] ?? error.message
  if (error instanceof ConnectionClosed) return ENDS[error.code] ?? "The connection was lost."
  return "The server is not reached."
}

const REFUSALS: { readonly [code: string]: string } = {
  muted: "A host has muted you.",
  feature_disabled: "This is currently switched off.",
  wrong_phase: "This is not available in the current phase.",
  forbidden: "You do not have permission to do this.",
  not_found: "It is no longer there.",
  too_large: "The text is too long.",
  event_ended: "The event is over.",
  unavailable: "The server is too busy. Try again in a moment.",
}

/** Returns null for null. */
export const whyRefused = (error: Error | null): string | null => {
  if (error === null) return null
  if (error instanceof CommandUnanswered) return "No answer arrived. Check whether it was done before you try again."
  if (!(error instanceof CommandRefused)) return error.message
  const { code, message, retryAfterMs } = error.refusal
  if (code === "rate_limited") {
    return retryAfterMs === undefined
      ? "Not so fast."
      : `Not so fast. Try again in ${Math.ceil(retryAfterMs / 1000)} s.`
  }
  return REFUSALS[code] ?? message
}

export const minutesAndSeconds = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
