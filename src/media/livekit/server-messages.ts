/** Signed messages of the media server about recordings and about each person who joined a room. A message may be lost or arrive twice. */
import { Context, Effect, Redacted } from "effect"
import type { EgressInfo } from "livekit-server-sdk"
import { Unauthorized } from "../../model/errors.ts"
import { Listeners } from "../../model/listeners.ts"
import type { MediaServer } from "../seats.ts"
import { type Connected, STANDARD } from "./media-server-api.ts"

/** A person who joined a room and can be seen and heard there. */
export interface Arrival extends Connected {
  readonly room: string
}

export interface ServerMessages {
  /** Verifies a message and reads its content; both members are null for a message about something else. */
  readonly verify: (
    body: string,
    authorization: string,
  ) => Effect.Effect<{ readonly egress: EgressInfo | null; readonly arrival: Arrival | null }, Unauthorized>
  /** Arrivals from messages received by this process. */
  readonly arrivals: Listeners<Arrival>
}

/** Null without a media server. */
export const ServerMessages = Context.Reference<ServerMessages | null>("gathercue/ServerMessages", {
  defaultValue: () => null,
})

const ARRIVED = "participant_joined"
const FORGED = new Unauthorized({ detail: "The message is not signed by the media server." })

export const serverMessagesOf = ({ apiKey, apiSecret }: MediaServer): Effect.Effect<ServerMessages> =>
  Effect.map(
    Effect.promise(() => import("livekit-server-sdk")),
    ({ WebhookReceiver }) => {
      const receiver = new WebhookReceiver(apiKey, Redacted.value(apiSecret))
      return {
        arrivals: new Listeners<Arrival>(),
        verify: (body, authorization) =>
          Effect.tryPromise({ try: () => receiver.receive(body, authorization), catch: () => FORGED }).pipe(
            Effect.map(({ event, room, participant, egressInfo }) => {
              const isArrival =
                event === ARRIVED &&
                room !== undefined &&
                participant !== undefined &&
                Number(participant.kind) === STANDARD
              const arrival = isArrival
                ? { room: room.name, identity: participant.identity, metadata: participant.metadata }
                : null
              return { egress: egressInfo ?? null, arrival }
            }),
          ),
      }
    },
  )
