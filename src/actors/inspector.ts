/**
 * Shows the charts of running live events in Stately's inspector, in development only. Its relay is a separate process
 * (`npm run inspector`); until the relay is there, this process keeps only the newest events for it.
 */
import { Effect, type Scope } from "effect"
import type { Inspect } from "./machine/machine-actor.ts"

/** `relay`: its address, `ws://…`. The library is a development dependency and is loaded only here. */
export const openInspector = (relay: string): Effect.Effect<Inspect, never, Scope.Scope> =>
  Effect.promise(() => import("@statelyai/inspect")).pipe(
    Effect.flatMap(({ createWebSocketInspector }) =>
      Effect.acquireRelease(
        // An adopted transition carries its whole snapshot, so only the type is sent.
        Effect.sync(() => createWebSocketInspector({ url: relay, sanitizeEvent: ({ type }) => ({ type }) })),
        (inspector) => Effect.sync(() => inspector.stop()),
      ),
    ),
    Effect.map(({ inspect }) => inspect),
  )
