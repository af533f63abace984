/** The routes beside the contract: their bodies are bytes or streams. */
import { Effect } from "effect"
import { gatewayStreamRoutes } from "./gateway/stream-routes.ts"
import { mediaRoutes } from "./media/routes.ts"

export const streamingRoutes = (...given: Parameters<typeof mediaRoutes>) =>
  Effect.map(Effect.all([mediaRoutes(...given), gatewayStreamRoutes(given[0])]), (routes) => routes.flat())
