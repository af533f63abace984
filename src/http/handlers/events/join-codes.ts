/** Join codes, and the event's page as a QR code. */
import { Effect } from "effect"
import { correction, generate } from "lean-qr"
import { toSvgSource } from "lean-qr/extras/svg"
import { NotFound } from "../../../model/errors.ts"
import { newJoinCode, parseJoinCode } from "../../../model/join-code.ts"
import { findByJoinCode, joinCodeOf } from "../../../store/events/join-codes.ts"
import type { JoinCodes } from "../../contract/events/join-codes.ts"
import type { Handlers } from "../../requests/call.ts"
import { HttpSettings } from "../../requests/settings.ts"

const pageOf = (appUrl: string, eventId: string): string => `${appUrl}/enter/${eventId}`

export const joinCodes = {
  createJoinCode: {
    access: "event",
    handle: ({ scope: { event } }) =>
      Effect.gen(function* () {
        const { appUrl, publicUrl } = yield* HttpSettings
        const code = yield* joinCodeOf(event.id, newJoinCode)
        if (code === undefined) return yield* NotFound.of("event")
        return { code, url: pageOf(appUrl, event.id), qrUrl: `${publicUrl}/v1/public/events/${event.id}/qr.svg` }
      }),
  },
  findByJoinCode: {
    access: "public",
    handle: ({ params }) =>
      Effect.gen(function* () {
        const { appUrl } = yield* HttpSettings
        const code = parseJoinCode(params.code)
        const event = code === undefined ? undefined : yield* findByJoinCode(code)
        if (event === undefined) return yield* new NotFound({ detail: "No event has this code." })
        const { id, title, status, scheduledAt } = event
        return { eventId: id, title, status, scheduledAt, url: pageOf(appUrl, id) }
      }),
  },
  getQrCode: {
    access: "publicEvent",
    handle: ({ scope: { event } }) =>
      Effect.map(HttpSettings, ({ appUrl }) =>
        toSvgSource(generate(pageOf(appUrl, event.id), { minCorrectionLevel: correction.M }), {
          xmlDeclaration: true,
          width: 512,
          height: 512,
        }),
      ),
  },
} satisfies Handlers<typeof JoinCodes>
