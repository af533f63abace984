/** The gateway's door for HTTP requests. It opens when the gateway is bound and closes when the gateway stops. */
import { Context, Effect, Layer } from "effect"
import { Unavailable } from "../../model/errors.ts"
import type { CommandFrame } from "../../protocol/wire/frames.ts"
import type { ReplyOutcome } from "../frames/sender.ts"
import type { EventStreams } from "../transport/event-streams.ts"
import type { BatchRefused, RequestOutcome } from "./request-commands.ts"
import type { Visitor } from "./visitor.ts"

interface Inside {
  readonly send: (visitor: Visitor, frames: ReadonlyArray<CommandFrame>) => Effect.Effect<ReadonlyArray<RequestOutcome>>
  readonly sendTogether: (
    visitor: Visitor,
    frames: ReadonlyArray<CommandFrame>,
  ) => Effect.Effect<ReadonlyArray<ReplyOutcome> | BatchRefused>
  readonly rehearse: (visitor: Visitor, frame: CommandFrame) => Effect.Effect<RequestOutcome>
  readonly streams: Pick<EventStreams, "open" | "refusal">
}

const CLOSED = new Unavailable({ detail: "The gateway is not open.", retryAfterSeconds: 1 })

export class GatewayDoor extends Context.Service<
  GatewayDoor,
  {
    /** Opens the door; the returned function closes it. */
    readonly open: (inside: Inside) => () => void
    readonly inside: Effect.Effect<Inside, Unavailable>
  }
>()("gathercue/GatewayDoor") {
  static readonly layer: Layer.Layer<GatewayDoor> = Layer.sync(GatewayDoor, () => {
    let present: Inside | undefined
    return {
      open: (inside) => {
        present = inside
        return () => {
          present = undefined
        }
      },
      inside: Effect.suspend(() => (present === undefined ? Effect.fail(CLOSED) : Effect.succeed(present))),
    }
  })
}
