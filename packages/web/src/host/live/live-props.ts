/** The properties of every part of the live console. */
import type { CommandName, EventWithPhases, GatewayClient } from "@gathercue/client"
import { useEvent } from "@gathercue/client/react"

export interface LiveProps {
  readonly client: GatewayClient
  /** The event as it was when the console was opened: its ids do not change. */
  readonly event: EventWithPhases
}

export interface ClientProps {
  readonly client: GatewayClient
}

/** Whether the command would be accepted in the current phase and role. */
export const useCan = (client: GatewayClient, command: CommandName): boolean =>
  useEvent(client, ({ me }) => me.can.includes(command)) ?? false
