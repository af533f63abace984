/** Interface of the gateway client for a call. */
import type { EventState } from "../state/event-state.ts"
import type { CommandData, CommandReply, ConnectionStatus, DispatchData } from "../wire.ts"
import type { PeerList } from "./call-rules.ts"

interface GatewayEvents {
  readonly status: ConnectionStatus
  readonly state: EventState
  readonly "rtc.peers": PeerList
  readonly "rtc.asked": DispatchData<"rtc.asked">
  readonly "rtc.signal": DispatchData<"rtc.signal">
}

/** The part of the gateway client that a call uses. */
export interface CallGateway {
  readonly status: ConnectionStatus
  readonly state: EventState | undefined
  readonly on: <Name extends keyof GatewayEvents>(
    name: Name,
    listener: (value: GatewayEvents[Name]) => void,
  ) => () => void
  command<T extends "rtc.join" | "rtc.leave" | "rtc.signal">(t: T, d: CommandData<T>): Promise<CommandReply<T>>
}
