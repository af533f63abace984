/** Calls of the REST API by the developer's commands. */
import { fetchFailure, fetchWithin } from "../../egress/fetch-within.ts"
import { CommandFailed } from "../command-failed.ts"
import { shown } from "../terminal.ts"
import type { Profile } from "./profile.ts"

type Json = { readonly [member: string]: unknown }

const ANSWER_WITHIN_MS = 40_000

/** The server was not reached, or cannot answer now: the same call may succeed later. */
export class NotAnswered extends CommandFailed {}

interface Problem {
  readonly detail?: unknown
  readonly remedy?: unknown
  readonly errors?: ReadonlyArray<{ readonly pointer?: string; readonly detail?: string }>
}

const sentenceOf = (status: number, body: Problem): string => {
  const faults = (body.errors ?? []).map(({ pointer = "", detail = "" }) => `\n  ${shown(`${pointer}: ${detail}`)}`)
  const remedy = typeof body.remedy === "string" ? ` ${shown(body.remedy)}` : ""
  return `${typeof body.detail === "string" ? shown(body.detail) : `The server answered ${status}.`}${remedy}${faults.join("")}`
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const isJson = (text: string): boolean => jsonOf(text) !== undefined

/** The object of a text in JSON; undefined for any other text. */
export const parsed = (text: string): Json | undefined => {
  const value = jsonOf(text)
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined
}

/** @throws CommandFailed with the server's words */
export const callRest = async ({ url, key }: Profile, method: string, path: string, body?: unknown): Promise<Json> => {
  const headers = {
    "x-api-key": key,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  }
  const init = {
    method,
    headers,
    redirect: "manual",
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  } as const
  const { status, text } = await fetchWithin(ANSWER_WITHIN_MS, url + path, init, async (answer) => ({
    status: answer.status,
    text: await answer.text(),
  })).catch((cause: unknown) => {
    const outcome = method === "GET" ? "" : " It is not known whether it did what was asked."
    throw new NotAnswered(`The server at ${url} gave no answer (${fetchFailure(cause)}).${outcome}`)
  })
  const answer = parsed(text)
  if (status >= 200 && status < 300 && answer !== undefined) return answer
  if (status < 300) throw new NotAnswered(`The answer of ${url} is not that of a Gathercue server.`)
  const sentence = sentenceOf(status, answer ?? {})
  throw status === 429 || status >= 500 ? new NotAnswered(sentence) : new CommandFailed(sentence)
}
