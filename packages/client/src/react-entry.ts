// biome-ignore-all lint/performance/noBarrelFile: an entry point of the package; names that are absent here are not public.
/** `@gathercue/client/react`: hooks for pages made with React 19. */

export { type CommandSender, useCommand } from "./react/use-command.ts"
export { type Connection, useConnection } from "./react/use-connection.ts"
export { useCountdown } from "./react/use-countdown.ts"
export { useDispatch } from "./react/use-dispatch.ts"
export { type UseEvent, useEvent } from "./react/use-event.ts"
export { type GatewayOptions, useGateway } from "./react/use-gateway.ts"
