/** Endpoints that help an operator find configuration mistakes: the settings, a test email, a test webhook and the log. */
import { Duration, Effect } from "effect"
import { testEmail } from "../../mail/emails.ts"
import { Mailer } from "../../mail/mailer.ts"
import { BadRequest, Conflict } from "../../model/errors.ts"
import { foldEmail } from "../../model/text/email.ts"
import { Quiet } from "../../store/quiet/quiet.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { tryWebhook } from "../../webhooks/trial.ts"
import type { Platform } from "../contract/platform.ts"
import type { Handlers } from "../requests/call.ts"
import { HttpSettings } from "../requests/settings.ts"

const unlessCopy = Effect.flatMap(Quiet, ({ isQuiet }) =>
  isQuiet()
    ? Effect.fail(
        new Conflict({ detail: "The database is a copy, and nothing is sent to others until it is promoted." }),
      )
    : Effect.void,
)

export const platformTrials = {
  getPlatformSettings: {
    access: "platform",
    handle: () => Effect.map(HttpSettings, ({ node, shown }) => ({ node, settings: shown.settings })),
  },
  testMail: {
    access: "platform",
    handle: ({ payload }) =>
      Effect.gen(function* () {
        yield* unlessCopy
        const { trySending } = yield* Mailer
        const { publicUrl, shown } = yield* HttpSettings
        if (trySending === null) {
          return yield* new Conflict({ detail: "SMTP_URL is not set: this server sends no mail." })
        }
        const letter = testEmail(foldEmail(payload.to), publicUrl)
        const [duration, problem] = yield* Effect.timed(Effect.promise(() => trySending(letter)))
        return { problem: problem && shown.mask(problem), durationMs: Math.round(Duration.toMillis(duration)) }
      }),
  },
  testWebhook: {
    access: "platform",
    handle: ({ payload: { url } }) =>
      Effect.andThen(
        unlessCopy,
        Effect.catchTag(tryWebhook(url), "EgressRefused", ({ detail }) =>
          Effect.fail(BadRequest.ofField("url", detail)),
        ),
      ),
  },
  getPlatformLog: {
    access: "platform",
    handle: ({ query: { level = "info", after = 0 } }) =>
      Effect.gen(function* () {
        const { tail } = yield* Telemetry
        const { node, shown } = yield* HttpSettings
        return { node, lines: tail.read(level, after, shown.mask) }
      }),
  },
} satisfies Pick<Handlers<typeof Platform>, "getPlatformSettings" | "testMail" | "testWebhook" | "getPlatformLog">
