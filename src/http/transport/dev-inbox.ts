/**
 * Deliveries of webhooks that the playground shows: the receiver of a server that is tried out. In memory, for development alone: the
 * oldest are forgotten beyond a bound.
 */
import { isStorable } from "../../model/json.ts"
import type { HttpRequest, HttpResponse } from "./message.ts"

const INBOXES = 100
const DELIVERIES = 200
const MOST_BYTES = 65_536
const NAME = /^[\w-]{8,64}$/

interface Delivery {
  readonly at: string
  /** Those that a signature is checked by, as they came. */
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

const SIGNED = ["webhook-id", "webhook-timestamp", "webhook-signature", "x-gc-event-type"]

const answer = (status: number, body: string): HttpResponse => ({
  status,
  headers: [
    ["content-type", "application/json"],
    ["cache-control", "no-store"],
  ],
  body,
})

export interface DevInbox {
  readonly take: (request: HttpRequest) => HttpResponse
  readonly list: (request: HttpRequest) => HttpResponse
}

/** `refuse` answers a name that is none, and a body that is no text or too long. */
export const makeDevInbox = (now: () => number, refuse: () => HttpResponse): DevInbox => {
  const inboxes = new Map<string, ReadonlyArray<Delivery>>()
  const nameIn = (request: HttpRequest): string | undefined => {
    const name = request.params["name"] ?? ""
    return NAME.test(name) ? name : undefined
  }
  return {
    take: (request) => {
      const name = nameIn(request)
      const body = new TextDecoder().decode(request.body)
      if (name === undefined || request.body.byteLength > MOST_BYTES || !isStorable(body)) return refuse()
      const headers = Object.fromEntries(SIGNED.map((header) => [header, request.headers[header] ?? ""]))
      const kept = inboxes.get(name) ?? []
      // The inbox that was used last is the last one of the map.
      inboxes.delete(name)
      inboxes.set(name, [...kept, { at: new Date(now()).toISOString(), headers, body }].slice(-DELIVERIES))
      const [oldest] = inboxes.keys()
      if (inboxes.size > INBOXES && oldest !== undefined) inboxes.delete(oldest)
      return answer(200, "{}")
    },
    list: (request) => {
      const name = nameIn(request)
      return name === undefined ? refuse() : answer(200, JSON.stringify({ deliveries: inboxes.get(name) ?? [] }))
    },
  }
}
