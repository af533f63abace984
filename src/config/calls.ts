/** Settings of calls: the media server that is part of this one, another one, or connections between browsers. */
import type { Redacted } from "effect"
import type { Values } from "./rules.ts"

export interface CallsConfig {
  /** The media server that is part of this one; null when browsers connect to each other. */
  readonly sfu: { readonly port: number; readonly addresses: ReadonlyArray<string> } | null
  /** Calls over the gateway. */
  readonly mesh: {
    readonly maxPeers: number
    readonly ice: { readonly urls: ReadonlyArray<string>; readonly turnSecret: Redacted.Redacted<string> | null }
    readonly policy: "all" | "relay"
  }
  /** LiveKit server; null without one. */
  readonly media: {
    readonly url: string
    readonly apiKey: string
    readonly apiSecret: Redacted.Redacted<string>
  } | null
}

const DEVELOPMENT_PORT = 8081

/** In production the operator opens the port, and names the address that browsers reach: a closed port would end calls that browsers can hold. */
const portOf = ({ MEDIA_PORT: port, MEDIA_URL: url, NODE_ENV: mode }: Values): number =>
  port ?? (mode === "production" || url !== null ? 0 : DEVELOPMENT_PORT)

const liveKitOf = ({ MEDIA_URL: url, MEDIA_API_KEY: apiKey, MEDIA_API_SECRET: apiSecret }: Values) =>
  url === null || apiKey === null || apiSecret === null ? null : { url, apiKey, apiSecret }

export const callsOf = (values: Values): CallsConfig => {
  const port = portOf(values)
  return {
    sfu: port === 0 ? null : { port, addresses: values.MEDIA_ADDRESSES },
    mesh: {
      maxPeers: port === 0 ? values.MESH_MAX_PEERS : values.MEDIA_MAX_PEERS,
      ice: { urls: values.ICE_SERVERS, turnSecret: values.TURN_SECRET },
      policy: values.RTC_POLICY,
    },
    media: liveKitOf(values),
  }
}
