/**
 * `gathercue webhooks listen`: follows the feed of occurrences, and delivers them to a program on this machine as webhooks are: the same
 * bodies, and headers signed with a secret of this run.
 */
import { randomBytes } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import { fetchFailure, fetchWithin } from "../../egress/fetch-within.ts"
import { ANSWER_MS, signedRequest } from "../../webhooks/pipeline.ts"
import { CommandFailed } from "../command-failed.ts"
import { print, shown, shownJson } from "../terminal.ts"
import type { RemoteInvocation } from "./arguments.ts"
import { type Profile, targetOf } from "./profile.ts"
import { callRest, NotAnswered } from "./rest.ts"

const WAIT_SECONDS = 25
const SECRET_BYTES = 24
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 15_000
/** An empty answer within this time did not wait for new occurrences. */
const EARLY_MS = 1_000

interface Occurrence {
  readonly id: string
  readonly type: string
  readonly occurredAt: string
}
interface Page {
  readonly occurrences: ReadonlyArray<Occurrence>
  readonly nextCursor: string
}

const pageAfter = async (profile: Profile, after: string, wait: number): Promise<Page> => {
  const query = new URLSearchParams({ limit: "100", wait: String(wait), after })
  return (await callRest(profile, "GET", `/v1/occurrences?${query}`)) as unknown as Page
}

/** The outcome in a word: the status, or why there was none. */
const forward = (url: string, secret: string, occurrence: Occurrence): Promise<string> => {
  const message = { id: occurrence.id, type: occurrence.type, body: JSON.stringify(occurrence) }
  const { method, headers } = signedRequest(url, [secret], message, Math.floor(Date.now() / 1000), ANSWER_MS)
  return fetchWithin(ANSWER_MS, url, { method, headers, body: message.body, redirect: "manual" }, async (answer) => {
    await answer.arrayBuffer()
    return String(answer.status)
  }).catch((cause: unknown) => fetchFailure(cause))
}

/** Asks again while the server does not answer, in growing intervals; the cursor keeps the place. */
const patiently = async (ask: () => Promise<Page>): Promise<Page> => {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await ask()
    } catch (cause) {
      if (!(cause instanceof NotAnswered)) throw cause
      process.stderr.write(`${cause.message} The next try follows in ${pauseMs} ms.\n`)
      await pause(pauseMs)
    }
  }
}

interface Target {
  readonly url: string
  readonly secret: string
}

const lineOf = ({ occurredAt, type, id }: Occurrence, outcome: string | undefined): string =>
  shown([occurredAt, type.padEnd(24), id, ...(outcome === undefined ? [] : [`-> ${outcome}`])].join("  "))

const report = async (occurrence: Occurrence, target: Target | undefined, json: boolean): Promise<void> => {
  const outcome = target === undefined ? undefined : await forward(target.url, target.secret, occurrence)
  if (!json) print(lineOf(occurrence, outcome))
  else print(shownJson(outcome === undefined ? { occurrence } : { occurrence, outcome }))
}

/** Runs until the process is stopped. @throws CommandFailed for a refused key or a bad address */
export const listen = async (profile: Profile, { texts, lists, json }: RemoteInvocation): Promise<never> => {
  const url = texts["forward"]
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`
  const target = url === undefined ? undefined : { url: targetOf(url), secret }
  const types = lists["type"]
  let cursor = (await pageAfter(profile, "end", 0)).nextCursor
  const forwarding = target === undefined ? "" : ` Deliveries to ${target.url} are signed with ${secret}`
  process.stderr.write(`Listening to ${profile.url}.${forwarding}\n`)
  while (true) {
    const askedAt = performance.now()
    const page = await patiently(() => pageAfter(profile, cursor, WAIT_SECONDS))
    for (const occurrence of page.occurrences) {
      if (types === undefined || types.includes(occurrence.type)) await report(occurrence, target, json)
    }
    cursor = page.nextCursor
    // A server that stops, or has too many waiting requests, answers at once.
    if (page.occurrences.length === 0 && performance.now() - askedAt < EARLY_MS) await pause(EARLY_MS)
  }
}

/** Types that exist, so that a misspelt one is refused. @throws CommandFailed */
export const checkTypes = async (profile: Profile, types: ReadonlyArray<string>): Promise<void> => {
  const answer = await callRest(profile, "GET", "/v1/webhook-event-types")
  const known = (answer["eventTypes"] as ReadonlyArray<{ readonly type: string }>).map(({ type }) => type)
  const wrong = types.find((type) => !known.includes(type))
  if (wrong !== undefined) throw new CommandFailed(`"${wrong}" is no webhook type; there are ${known.join(", ")}.`)
}
