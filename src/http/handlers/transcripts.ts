/** A recogniser's segments over REST: the same command as over the gateway. */
import { Effect } from "effect"
import type { Handlers } from "../call.ts"
import type { Transcripts } from "../contract/transcripts.ts"
import { ask } from "../live-commands.ts"

export const transcripts: Handlers<typeof Transcripts> = {
  pushTranscript: {
    access: "event",
    handle: ({ payload, scope: { event } }) =>
      Effect.map(ask(event.id, { type: "transcript.push", d: payload }, null), () => ({
        accepted: payload.segments.length,
      })),
  },
}
