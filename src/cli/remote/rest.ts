/** Calls of the REST API by the developer's commands. */
import { fetchFailure, fetchWithin } from "../../egress/fetch-within.ts"
import { CommandFailed } from "../command-failed.ts"
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
  const faults = (body.errors ?? []).map(({ pointer = "", detail = "" }) => `\n  ${pointer}: ${detail}`)
  const remedy = typeof body.remedy === "string" ? ` ${body.remedy}` : ""
  return `${typeof body.detail === "string" ? body.detail : `The server answered ${status}.`}${remedy}${faults.join("")}`
}

const parsed = (text: string): Json => {
  try {
    return JSON.parse(text === "" ? "{}" : text) as Json
  } catch {
    return {}
  }
}

/** @throws CommandFailed with the server's words */
export const callRest = async ({ url, key }: Profile, method: string, path: string, body?: unknown): Promise<Json> => {
  const headers = { "x-api-key": key, ...(body === undefined ? {} : { "content-type": "application/json" }) }
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
    throw new NotAnswered(`The server at ${url} cannot be reached (${fetchFailure(cause)}).`)
  })
  const answer = parsed(text)
  if (status >= 200 && status < 300) return answer
  const sentence = sentenceOf(status, answer)
  throw status === 429 || status >= 500 ? new NotAnswered(sentence) : new CommandFailed(sentence)
}
