/** All that the checks look at, once the server has been killed and started a last time and is left in peace. */
import type postgres from "postgres"
import type { Ledger } from "../ledger/ledger.ts"
import type { Streams } from "../ledger/streams.ts"
import type { Crowd } from "../load/crowd.ts"
import type { Load } from "../load/load.ts"
import type { Receiver } from "../load/receiver.ts"

export interface Inspection {
  /** Past every proxy. */
  readonly sql: postgres.Sql
  readonly ledger: Ledger
  readonly streams: Streams
  readonly crowd: Crowd
  readonly load: Load
  readonly receiver: Receiver
}

export type Check = (inspection: Inspection) => Promise<void>
