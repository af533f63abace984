/** Output of the command: lines for the operator, and the reason for a refused start. */

/** Failures whose message is meant for the operator; others are shown with their stack. */
const REFUSALS = new Set([
  "ArgumentsInvalid",
  "CommandFailed",
  "ConfigInvalid",
  "StartRefused",
  "DatabaseRefused",
  "EmbeddedPostgresRefused",
  "SchemaTooNew",
  "SchemaTooOld",
  "SecretRefused",
  "NodePortRefused",
  "NatsRefused",
  "WorkersRefused",
])

/** Control characters (C0 and C1), which a terminal obeys, and characters that change the direction of text. */
const OBEYED = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Text of others for a terminal, on one line. */
export const shown = (text: string): string => text.replaceAll(OBEYED, "\ufffd")

/** JSON for a terminal: `JSON.stringify` leaves C1 controls and characters of direction as they are. */
export const shownJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(OBEYED, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)

export const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

export const exitWithError = (cause: unknown): never => {
  const error = cause instanceof Error ? cause : new Error(String(cause))
  const isForOperator = REFUSALS.has(error.name)
  process.stderr.write(`${isForOperator ? error.message : `Gathercue could not start: ${error.message}`}\n`)
  if (!isForOperator) process.stderr.write(`${error.stack}\n`)
  process.exit(1)
}

interface Listening {
  readonly url: string
  readonly publicUrl: string
  readonly database: string
}

/** Prints a log line in production, whatever the level; otherwise a text for a person who tries the product. */
export const printWelcome = (
  { url, publicUrl, database }: Listening,
  { production, web }: { readonly production: boolean; readonly web: object | null },
): void => {
  const sentence = `Gathercue listens on ${url} (public address ${publicUrl})`
  if (production) {
    print(JSON.stringify({ level: 30, time: new Date().toISOString(), url, publicUrl, database, msg: sentence }))
    return
  }
  print(sentence)
  print(`  database   ${database}`)
  if (web !== null) print(`  pages      ${url}/play to try it out, ${url}/host for hosts`)
  print(`  reference  ${url}/v1/docs`)
  print('  next       "The first live event" in README.md, in a second terminal')
}
