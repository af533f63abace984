/**
 * Shows the charts of live events to Stately's inspector while they run, in development alone. Its relay is a process of its own
 * (`npm run inspector`); the inspection of this process waits for it, and keeps no more than the newest events meanwhile.
 */
import { Effect, type Scope } from "effect"
import type { Inspect } from "./machine/machine-actor.ts"

/** `relay`: its address, `ws://…`. The library is a development dependency, loaded here alone. */
export const openInspector = (relay: string): Effect.Effect<Inspect, never, Scope.Scope> =>
  Effect.promise(() => import("@statelyai/inspect")).pipe(
    Effect.flatMap(({ createWebSocketInspector }) =>
      Effect.acquireRelease(
        // A transition that is adopted carries its snapshot.
        Effect.sync(() => createWebSocketInspector({ url: relay, sanitizeEvent: ({ type }) => ({ type }) })),
        (inspector) => Effect.sync(() => inspector.stop()),
      ),
    ),
    Effect.map(({ inspect }) => inspect),
  )
