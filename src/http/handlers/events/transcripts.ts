/** A recogniser's segments over REST: the same command as over the gateway. */
import { Effect } from "effect"
import type { Transcripts } from "../../contract/events/transcripts.ts"
import type { Handlers } from "../../requests/call.ts"
import { ask } from "./live-commands.ts"

export const transcripts: Handlers<typeof Transcripts> = {
  pushTranscript: {
    access: "event",
    handle: ({ payload, scope: { event } }) =>
      Effect.map(ask(event.id, { type: "transcript.push", d: payload }, null), () => ({
        accepted: payload.segments.length,
      })),
  },
}
