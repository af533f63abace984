/** Speech: segments that a recogniser pushes live, and transcripts of recordings. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Uuid } from "../../../model/ids.ts"
import { TranscriptInput } from "../../../model/media/transcript-input.ts"
import { named } from "../../../model/named.ts"
import { isVisible, LegibleText, membersText } from "../../../model/text/shown-text.ts"
import { Instant } from "../../../model/timestamp.ts"
import { COMMANDS } from "../../../protocol/contract.ts"
import { Commanded, EndpointAccess, WriteScope } from "../access.ts"
import { BodyLimit, BytesBody, created, Example, PathId, Revalidated } from "../endpoint.ts"
import { TRANSCRIPT_TEXTS, transcript, transcriptHead } from "../examples/example-objects.ts"
import { COMMON, problems, WITH_BODY } from "../problem.ts"

const Segment = Schema.Struct({
  /** Offsets in milliseconds from the recording's start. */
  t0: Schema.Int,
  t1: Schema.Int,
  /** Empty where the speaker is unknown, like the language. */
  speaker: Schema.String,
  lang: Schema.String,
  text: Schema.String,
}).annotate(named("TranscriptSegment"))

const HEAD = {
  id: Uuid,
  eventId: Uuid,
  recordingId: Schema.NullOr(Uuid),
  createdAt: Instant,
}
const SkippedCue = Schema.Struct({
  /** Line of the file, starting at 1. */
  line: Schema.Int,
  reason: Schema.String,
}).annotate(named("SkippedCue"))
const TranscriptHead = Schema.Struct({
  ...HEAD,
  segments: Schema.Int,
  /** Number of cues that were left out; always 0 without `lenient`. */
  skipped: Schema.Int,
  /** The first hundred of them. */
  skippedCues: Schema.Array(SkippedCue),
}).annotate(named("TranscriptHead"))
const Transcript = Schema.Struct({ ...HEAD, segments: Schema.Array(Segment) }).annotate(named("Transcript"))

export const VTT = "text/vtt"
export const SRT = "application/x-subrip"
const asFile = (contentType: string) => Schema.String.pipe(HttpApiSchema.asText({ contentType }))

/** Summary of an event in its recap. */
export const Summary = Schema.Struct({
  /** Empty where no summary was written. */
  text: Schema.String,
  /** Speakers by number of words, descending. */
  speakers: Schema.Array(
    Schema.Struct({ name: Schema.String, words: Schema.Int, seconds: Schema.Finite }).annotate(named("SummarySpeaker")),
  ),
}).annotate(named("EventSummary"))

const Query = {
  /** Defaults to `json`. */
  format: Schema.optionalKey(
    Schema.Literals(["json", "vtt", "srt", "txt"]).annotate({
      description: "JSON, WebVTT, SubRip or plain text.",
      default: "json",
      examples: ["vtt"],
    }),
  ),
  /** Search words: only segments that contain all of them, at most 500. */
  q: Schema.optionalKey(
    Schema.String.check(Schema.isBetweenLength(1, 200)).annotate({
      description: "Words; the answer has the segments with all of them alone.",
      examples: ["analytical engine"],
    }),
  ),
}
const FORMATS = [Transcript, asFile(VTT), asFile(SRT), asFile("text/plain")]

/** Maximum size of a transcript in bytes. */
const LARGEST = 8 * 1024 * 1024

export const Transcripts = HttpApiGroup.make("transcripts")
  .add(
    HttpApiEndpoint.post("pushTranscript", "/v1/events/:id/transcript-segments", {
      params: PathId,
      payload: COMMANDS["transcript.push"].data,
      success: Schema.Struct({ accepted: Schema.Int }),
      error: problems(...WITH_BODY, ...COMMON, "not_found", "conflict"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(Commanded, true)
      .annotate(
        OpenApi.Summary,
        "Show people at the live event what was said; the active phase must have the feature `transcript`",
      )
      .annotate(
        OpenApi.Description,
        "Segments go to everybody at the event or in the room, and are kept for the transcript of the event.",
      )
      .annotate(Example, {
        request: {
          segments: [
            { segment: "42", final: true, speaker: "Hedy", lang: "en", t0: 61_200, t1: 63_900, text: "Let us begin." },
          ],
        },
        response: { accepted: 1 },
      }),
    HttpApiEndpoint.put("putTranscript", "/v1/recordings/:id/transcript", {
      params: PathId,
      query: {
        lenient: Schema.optionalKey(
          Schema.Literals(["true", "false"]).annotate({
            description:
              "`true` leaves out cues of WebVTT and SubRip that cannot be read, and names them in the answer.",
            default: "false",
            examples: ["true"],
          }),
        ),
      },
      payload: [TranscriptInput, asFile(VTT), asFile(SRT)],
      success: [created(TranscriptHead), TranscriptHead],
      error: problems(...WITH_BODY, ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "recording")
      .annotate(BodyLimit, LARGEST)
      .annotate(BytesBody, true)
      .annotate(
        OpenApi.Summary,
        "Give a recording its transcript as JSON, WebVTT or SubRip; 200 when it replaces another one",
      )
      .annotate(
        OpenApi.Description,
        "Replaces a transcript that is there. The first cue that cannot be read is refused with its line, unless `lenient=true`. SubRip may be UTF-8, UTF-16 with its mark, or Windows-1252. Webhook `transcript.ready`.",
      )
      .annotate(Example, {
        request: { segments: [{ t0: 0, t1: 2500, speaker: "Grace Hopper", lang: "en", text: "Welcome, all." }] },
        response: { ...transcriptHead, segments: 1, skipped: 0, skippedCues: [] },
        texts: TRANSCRIPT_TEXTS,
      }),
    HttpApiEndpoint.get("getTranscript", "/v1/recordings/:id/transcript", {
      params: PathId,
      query: Query,
      success: FORMATS,
      error: problems("bad_request", ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "recording")
      .annotate(Revalidated, true)
      .annotate(OpenApi.Summary, "A recording's transcript, whole or the segments with some words")
      .annotate(OpenApi.Description, "As JSON, WebVTT, SubRip or text.")
      .annotate(Example, { response: transcript, texts: TRANSCRIPT_TEXTS }),
    HttpApiEndpoint.get("getEventTranscript", "/v1/events/:id/transcript", {
      params: PathId,
      query: Query,
      success: FORMATS,
      error: problems("bad_request", ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(Revalidated, true)
      .annotate(OpenApi.Summary, "The transcript of the event's captions, or else the newest of its recordings'")
      .annotate(OpenApi.Description, "As JSON, WebVTT, SubRip or text.")
      .annotate(Example, { response: transcript, texts: TRANSCRIPT_TEXTS }),
    HttpApiEndpoint.put("putSummary", "/v1/events/:id/summary", {
      params: PathId,
      payload: Schema.Struct({
        text: LegibleText(5000, isVisible, "must not be blank", membersText),
        /** Counted from the transcript by default. */
        speakers: Schema.optionalKey(
          Schema.Array(
            Schema.Struct({
              name: LegibleText(200),
              words: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000_000 })),
              seconds: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 864_000 })),
            }).annotate(named("SummarySpeakerInput")),
          ).check(Schema.isMaxLength(100)),
        ),
      }),
      success: Summary,
      error: problems(...WITH_BODY, ...COMMON, "not_found"),
    })
      .annotate(EndpointAccess, "event")
      .annotate(OpenApi.Summary, "Write the summary that the recap shows; it replaces a model's")
      .annotate(OpenApi.Description, "The text that people read after the event.")
      .annotate(Example, {
        request: { text: "A launch in May." },
        response: { text: "A launch in May.", speakers: [{ name: "Grace Hopper", words: 4000, seconds: 1800 }] },
      }),
  )
  .annotateEndpoints(WriteScope, "media")
  .annotate(OpenApi.Description, "Captions of a live event, and transcripts of its recordings.")
