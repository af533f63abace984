/** The settings of calls between browsers. */
import type { IceOptions } from "../../media/ice-servers.ts"
import type { RtcPolicy } from "../../protocol/topics/media.ts"

export interface MeshOptions {
  readonly ice: IceOptions
  /** `relay`: no browser learns the address of another one. */
  readonly policy: RtcPolicy
  /** The most people of a room in which anybody sends a picture, 2 to 6. */
  readonly maxPeers: number
}
