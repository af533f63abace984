/**
 * Shows the charts of live events to Stately's inspector while they run, in development alone. Its relay is a process of its own
 * (`npm run inspector`); the inspection of this process waits for it, and keeps no more than the newest events meanwhile.
 */
import type { Inspect } from "./machine/machine-actor.ts"

/** `relay`: its address, `ws://…`. The library is a development dependency, loaded here alone. */
export const openInspector = async (
  relay: string,
): Promise<{ readonly inspect: Inspect; readonly stop: () => void }> => {
  const { createWebSocketInspector } = await import("@statelyai/inspect")
  const inspector = createWebSocketInspector({
    url: relay,
    // A transition that is adopted carries its snapshot.
    sanitizeEvent: ({ type }) => ({ type }),
  })
  return { inspect: inspector.inspect, stop: () => inspector.stop() }
}
