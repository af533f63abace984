/** The routes beside the contract: their bodies are bytes or streams. */
import { Effect } from "effect"
import { gatewayStreamRoutes } from "./gateway/stream-routes.ts"
import { type MediaRouteOptions, mediaRoutes } from "./media/routes.ts"
import type { Problems } from "./transport/problem.ts"

export const streamingRoutes = (problems: Problems, options: MediaRouteOptions) =>
  Effect.map(Effect.all([mediaRoutes(problems, options), gatewayStreamRoutes(problems)]), (routes) => routes.flat())
