/** Reports the encoder of an event's broadcast to staff: when it connects, is lost, is back, or is refused. */

import type { EncoderReport } from "../../media/placed/broadcasts.ts"
import type { LiveBroadcasts } from "../../media/placed/live-broadcasts.ts"
import { encodeEphemeralFrame } from "../../protocol/wire/encoding.ts"
import type { Delivery } from "./delivery.ts"

const NOTHING_CAME: Pick<EncoderReport, "state" | "failure"> = { state: "waiting", failure: null }

export class EncoderReports {
  readonly #eventId: string
  readonly #broadcasts: Pick<LiveBroadcasts["Service"], "encoderOf">
  readonly #delivery: Pick<Delivery, "ephemeral" | "schedule">
  /** The last report; initially that of a broadcast without any push. */
  #reported = NOTHING_CAME
  #broadcastId: string | undefined

  constructor(
    eventId: string,
    broadcasts: Pick<LiveBroadcasts["Service"], "encoderOf">,
    delivery: Pick<Delivery, "ephemeral" | "schedule">,
  ) {
    this.#eventId = eventId
    this.#broadcasts = broadcasts
    this.#delivery = delivery
  }

  /** Called every second. `now`: Unix milliseconds. */
  look(now: number): void {
    const report = this.#broadcasts.encoderOf(this.#eventId)
    if (report === undefined) return
    if (report.broadcastId !== this.#broadcastId) this.#reported = NOTHING_CAME
    this.#broadcastId = report.broadcastId
    const { state, failure } = this.#reported
    if (report.state !== state || report.failure?.code !== failure?.code) this.#send(report, now)
  }

  #send(report: EncoderReport, now: number): void {
    this.#reported = report
    const frame = encodeEphemeralFrame("broadcast.stream", now, report)
    this.#delivery.ephemeral({ stream: "staff", key: "broadcast.stream", frame })
    this.#delivery.schedule()
  }
}
