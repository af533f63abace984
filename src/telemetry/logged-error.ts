/**
 * Errors in the form in which they are logged: kind, message, code and stack, and for a database error the constraint and the table. Never
 * values: PostgreSQL puts them into `detail`, into parameters and, for text that it could not read, into the message.
 */
import { Cause } from "effect"

/** Depth for an error, its cause and the cause of that. */
const MAX_DEPTH = 4

/** Names (`relation "events"`) stay; the text after a colon, `value` or `=` is user data. */
export const withoutValues = (text: string): string =>
  text.replace(/((?::|\bvalue) )"[\s\S]*"/g, '$1"…"').replace(/=\([\s\S]*\)/g, "=(…)")

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** Stack frames; the first lines of a stack repeat the message. */
const framesOf = ({ stack }: Error): string | undefined => {
  const at = stack?.search(/^\s+at /m) ?? -1
  return at === -1 ? undefined : stack?.slice(at)
}

export const loggedError = (given: unknown, depth = 0): unknown => {
  const error = Cause.isCause(given) ? Cause.squash(given) : given
  if (!(error instanceof Error)) return typeof error === "object" && error !== null ? "[not an error]" : error
  const fields = error as Error & { readonly [name: string]: unknown }
  return {
    type: textOf(fields["_tag"]) ?? error.name,
    message: withoutValues(error.message),
    code: textOf(fields["code"]),
    constraint: textOf(fields["constraint_name"]),
    table: textOf(fields["table_name"]),
    stack: framesOf(error),
    ...(error.cause === undefined || depth === MAX_DEPTH ? {} : { cause: loggedError(error.cause, depth + 1) }),
  }
}
