/** Reports the encoder of an event's broadcast to staff: when it begins, is lost, or is back. */
import type { EncoderReport, LiveBroadcasts } from "../../media/live/live-broadcasts.ts"
import type { EncoderState } from "../../model/live/live-values.ts"
import { encodeEphemeralFrame } from "../../protocol/wire/encoding.ts"
import type { Delivery } from "./delivery.ts"

export class EncoderReports {
  readonly #eventId: string
  readonly #broadcasts: Pick<LiveBroadcasts["Service"], "encoderOf">
  readonly #delivery: Pick<Delivery, "ephemeral" | "schedule">
  /** The state that was reported last; at first that of a broadcast that nothing has come for. */
  #reported: EncoderState = "waiting"
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

  /** Called each second. `now`: Unix milliseconds. */
  look(now: number): void {
    const report = this.#broadcasts.encoderOf(this.#eventId)
    if (report === undefined) return
    if (report.broadcastId !== this.#broadcastId) this.#reported = "waiting"
    this.#broadcastId = report.broadcastId
    if (report.state !== this.#reported) this.#send(report, now)
  }

  #send(report: EncoderReport, now: number): void {
    this.#reported = report.state
    const frame = encodeEphemeralFrame("broadcast.stream", now, report)
    this.#delivery.ephemeral({ stream: "staff", key: "broadcast.stream", frame })
    this.#delivery.schedule()
  }
}
