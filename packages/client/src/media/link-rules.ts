/**
 * The rules of the link to one peer as a pure function: the link and an event give the next link and the effects, which `peer-link.ts`
 * performs. The peer with the greater id makes the first offer of every connection; the other one waits. A connection that fails to
 * establish, or stays interrupted, is replaced by another with the next generation. Signals for an earlier generation are ignored.
 */

export interface PeerLinkState {
  /** Whether this side has the greater id. */
  readonly offers: boolean
  /** Generation of the current connection and its signals. */
  readonly gen: number
  /** `waiting` means that there is no connection now. */
  readonly state: "waiting" | "connecting" | "connected" | "interrupted"
  /** Failed connections since the last one that was connected. */
  readonly failures: number
  /**
   * Connections begun since the last one that was connected. Both ends count about the same, because each opens what the other one offers.
   */
  readonly tries: number
  /** Restarts of the interrupted connection. */
  readonly restarts: number
}

export type LinkTimer = "watchdog" | "restart" | "reopen"

export type LinkEvent =
  | { readonly type: "start" }
  /** Connection state reported by the browser. */
  | { readonly type: "changed"; readonly to: string }
  | { readonly type: "due"; readonly timer: LinkTimer }
  /** The browser refused a step, so the two sides no longer agree. */
  | { readonly type: "broken" }
  | { readonly type: "signal"; readonly kind: "offer" | "answer" | "candidates"; readonly gen: number }

export type LinkEffect =
  /** Replaces the connection. `offer` means that this side makes the offer. */
  | { readonly type: "open"; readonly gen: number; readonly offer: boolean }
  | { readonly type: "close" }
  /** Restarts ICE after fetching fresh credentials. */
  | { readonly type: "restartIce" }
  /** Applies this event's signal to the current connection. */
  | { readonly type: "apply" }
  | { readonly type: "timer"; readonly timer: LinkTimer; readonly ms: number }
  | { readonly type: "cancel"; readonly timer: LinkTimer }

interface LinkStep {
  readonly link: PeerLinkState
  readonly effects: ReadonlyArray<LinkEffect>
}

/**
 * Timeout for establishing a connection. Each further attempt has this much more, because a slow device never connects in eight seconds.
 */
const WATCHDOG_MS = 8000
const LONGEST_WATCHDOG_MS = 32_000
/** Extra time of the waiting side, so that the other one restarts first. */
const PATIENCE_OF_WAITING_MS = 3000
/** A briefly interrupted connection recovers by itself. */
const INTERRUPTED_MS = 2000
const RESTART_EVERY_MS = 5000
const MOST_RESTARTS = 3
/** Time for the other side's restarts and its new connection. */
const INTERRUPTED_OF_WAITING_MS = INTERRUPTED_MS + RESTART_EVERY_MS * (MOST_RESTARTS + 1) + WATCHDOG_MS
const LONGEST_BACKOFF_MS = 8000

export const newLink = (ownId: string, peerId: string): PeerLinkState => ({
  offers: ownId > peerId,
  gen: 0,
  state: "waiting",
  failures: 0,
  tries: 0,
  restarts: 0,
})

/** Delays of 1, 2, 4, 8, 8 … seconds. */
export const backoffMs = (failures: number): number => Math.min(LONGEST_BACKOFF_MS, 1000 * 2 ** failures)

const timer = (name: LinkTimer, ms: number): LinkEffect => ({ type: "timer", timer: name, ms })
const cancel = (name: LinkTimer): LinkEffect => ({ type: "cancel", timer: name })

/** Timeouts of 8, 16, 24, 32, 32 … seconds. */
const watchdogMs = (tries: number): number => Math.min(LONGEST_WATCHDOG_MS, WATCHDOG_MS * Math.max(1, tries))

const watchdog = ({ offers, tries }: PeerLinkState): LinkEffect =>
  timer("watchdog", watchdogMs(tries) + (offers ? 0 : PATIENCE_OF_WAITING_MS))

const opened = (link: PeerLinkState, gen: number, offer: boolean): LinkStep => {
  const next: PeerLinkState = { ...link, gen, state: "connecting", tries: link.tries + 1, restarts: 0 }
  return { link: next, effects: [cancel("restart"), cancel("reopen"), { type: "open", gen, offer }, watchdog(next)] }
}

const failed = (link: PeerLinkState): LinkStep => ({
  link: { ...link, state: "waiting", failures: link.failures + 1 },
  effects: [cancel("watchdog"), cancel("restart"), { type: "close" }, timer("reopen", backoffMs(link.failures))],
})

const restarted = (link: PeerLinkState): LinkStep => {
  if (!link.offers || link.restarts >= MOST_RESTARTS) return failed(link)
  return {
    link: { ...link, restarts: link.restarts + 1 },
    effects: [{ type: "restartIce" }, timer("restart", RESTART_EVERY_MS)],
  }
}

const changed = (link: PeerLinkState, to: string): LinkStep => {
  const unchanged: LinkStep = { link, effects: [] }
  if (link.state === "waiting") return unchanged
  switch (to) {
    case "connected":
      return {
        link: { ...link, state: "connected", failures: 0, tries: 0, restarts: 0 },
        effects: [cancel("watchdog"), cancel("restart")],
      }
    case "disconnected":
      if (link.state !== "connected") return unchanged
      return {
        link: { ...link, state: "interrupted" },
        effects: [timer("restart", link.offers ? INTERRUPTED_MS : INTERRUPTED_OF_WAITING_MS)],
      }
    case "failed": {
      // The watchdog decides about a connection that was never connected; a running restart has its own time.
      if (link.state === "connecting" || link.restarts > 0) return unchanged
      const interrupted: PeerLinkState = { ...link, state: "interrupted" }
      if (link.offers) return restarted(interrupted)
      if (link.state === "interrupted") return unchanged
      return { link: interrupted, effects: [timer("restart", INTERRUPTED_OF_WAITING_MS)] }
    }
    default:
      return unchanged
  }
}

const signalled = (link: PeerLinkState, kind: "offer" | "answer" | "candidates", gen: number): LinkStep => {
  const isPresent = gen === link.gen && link.state !== "waiting"
  if (isPresent) return { link, effects: [{ type: "apply" }] }
  if (kind !== "offer" || gen < link.gen) return { link, effects: [] }
  const { link: next, effects } = opened(link, gen, false)
  return { link: next, effects: [...effects, { type: "apply" }] }
}

export const linkAfter = (link: PeerLinkState, event: LinkEvent): LinkStep => {
  switch (event.type) {
    case "start":
      return link.offers ? opened(link, link.gen, true) : { link, effects: [watchdog(link)] }
    case "changed":
      return changed(link, event.to)
    case "broken":
      return link.state === "waiting" ? { link, effects: [] } : failed(link)
    case "signal":
      return signalled(link, event.kind, event.gen)
    case "due":
      if (event.timer === "watchdog") return failed(link)
      return event.timer === "restart" ? restarted(link) : opened(link, link.gen + 1, true)
  }
}
