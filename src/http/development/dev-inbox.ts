/**
 * Deliveries of webhooks that the playground shows: the receiver of a server that is tried out. In memory, for development alone: the
 * oldest are forgotten beyond a bound.
 */
import { isStorable } from "../../model/json.ts"
import type { HttpRequest } from "../transport/message.ts"

const INBOXES = 100
const DELIVERIES = 200
const MOST_BYTES = 65_536
const NAME = /^[\w-]{8,64}$/

interface Delivery {
  readonly at: string
  /** The headers by which a receiver checks the signature, as they came. */
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

const SIGNED = ["webhook-id", "webhook-timestamp", "webhook-signature", "x-gc-event-type"]

interface DevInbox {
  /** Keeps the delivery. Returns why it is not kept, in one sentence; null: it is. */
  readonly take: (request: HttpRequest) => string | null
  /** The deliveries of an inbox, the oldest first. */
  readonly list: (name: string) => ReadonlyArray<Delivery>
}

/** `now`: Unix milliseconds. */
export const makeDevInbox = (now: () => number): DevInbox => {
  const inboxes = new Map<string, ReadonlyArray<Delivery>>()
  return {
    take: (request) => {
      const name = request.params["name"] ?? ""
      if (!NAME.test(name)) return "name: must be 8 to 64 letters, digits, hyphens and underscores."
      if (request.body.byteLength > MOST_BYTES) return `body: at most ${MOST_BYTES} bytes are kept.`
      const body = new TextDecoder().decode(request.body)
      if (!isStorable(body)) return "body: must be text without NUL."
      const headers = Object.fromEntries(SIGNED.map((header) => [header, request.headers[header] ?? ""]))
      const kept = inboxes.get(name) ?? []
      // The inbox that was used last is the last one of the map.
      inboxes.delete(name)
      inboxes.set(name, [...kept, { at: new Date(now()).toISOString(), headers, body }].slice(-DELIVERIES))
      const [oldest] = inboxes.keys()
      if (inboxes.size > INBOXES && oldest !== undefined) inboxes.delete(oldest)
      return null
    },
    list: (name) => inboxes.get(name) ?? [],
  }
}
