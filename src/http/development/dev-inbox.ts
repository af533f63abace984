/** In-memory webhook receiver of the playground, for development only. The oldest deliveries are dropped beyond a bound. */
import { isStorable } from "../../model/json.ts"
import type { HttpRequest } from "../transport/message.ts"

const INBOXES = 100
const DELIVERIES = 200
const MOST_BYTES = 65_536
const NAME = /^[\w-]{8,64}$/

interface Delivery {
  readonly at: string
  /** Headers by which a receiver checks the signature, as received. */
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

const SIGNED = ["webhook-id", "webhook-timestamp", "webhook-signature", "x-gc-event-type"]

interface DevInbox {
  /** Keeps the delivery. Returns null, or the reason in one sentence why it was not kept. */
  readonly take: (request: HttpRequest) => string | null
  /** Deliveries of an inbox, oldest first. */
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
      // The most recently used inbox is the last entry of the map.
      inboxes.delete(name)
      inboxes.set(name, [...kept, { at: new Date(now()).toISOString(), headers, body }].slice(-DELIVERIES))
      const [oldest] = inboxes.keys()
      if (inboxes.size > INBOXES && oldest !== undefined) inboxes.delete(oldest)
      return null
    },
    list: (name) => inboxes.get(name) ?? [],
  }
}
