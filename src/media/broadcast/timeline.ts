/**
 * The clock of a broadcast: it turns the fragments of encoders that come, go, restart and take over from each other into one timeline, cut
 * at key frames into segments and parts. It only decides; the caller stores, and provides the time of day.
 */
import type { Fragment, FragmentTrack } from "./fmp4/fragment.ts"
import type { Init } from "./fmp4/init.ts"
import { EncoderRefused } from "./fmp4/refusal.ts"
import { JumpLimit } from "./jump-limit.ts"
import { EncoderRun } from "./run.ts"
import { SegmentBuilder } from "./segment-builder.ts"
import { type BroadcastPosition, type OpenSegment, START, type Take, type TimelineEvent } from "./segments.ts"

interface TimelineOptions {
  /** Target length of a segment, which ends with the first key frame after nearly that time. */
  readonly segmentMs: number
  /** Target length of a part. */
  readonly partMs: number
}

/** A slightly early key frame also ends a segment, because frames do not fall exactly on the second. */
const EARLY = 0.85
/**
 * A fragment without sound, such as MediaRecorder's last, begins no segment until this many times the target length: some readers take a
 * segment without a track for the track's end.
 */
const TARGETS_FOR_WHOLE = 3
const LONGEST_WITHOUT_KEY_FRAME_MS = 12_000

const noKeyFrame = (): EncoderRefused =>
  new EncoderRefused(
    "no_sync_sample",
    `There was no key frame for ${LONGEST_WITHOUT_KEY_FRAME_MS / 1000} seconds: set one every second or two (ffmpeg: -g).`,
  )

export class Timeline {
  readonly #options: TimelineOptions
  readonly #jumps = new JumpLimit()
  #position: BroadcastPosition
  /** Init of the encoder. */
  #init: Init | undefined
  /** Init of the take's file. Fragments get its track numbers. Unknown after a restart of the server. */
  #takeInit: Init | undefined
  #run: EncoderRun | undefined
  /** Broadcast and wall-clock time of the run's start. */
  #anchor = { startMs: 0, at: 0 }
  #open: SegmentBuilder | undefined
  #isPaused = false
  #withoutKeyFrameMs = 0

  /** `takeInit` belongs to the take in `position`, whose file continues. */
  constructor(options: TimelineOptions, position: BroadcastPosition = START, takeInit?: Init) {
    this.#options = options
    this.#position = position
    this.#takeInit = takeInit
  }

  get position(): BroadcastPosition {
    return this.#position
  }

  get open(): OpenSegment | undefined {
    return this.#open?.view
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  /** An encoder begins with each init, even a repeated one. */
  begin(init: Init): ReadonlyArray<TimelineEvent> {
    const events = this.#endRun()
    this.#init = init
    this.#withoutKeyFrameMs = 0
    return events
  }

  /** `now` is in Unix milliseconds. The fragment's bytes are changed and passed on. Throws `EncoderRefused`. */
  push(fragment: Fragment, now: number): ReadonlyArray<TimelineEvent> {
    const init = this.#init
    if (init === undefined) throw new EncoderRefused("no_init", "Fragments come before the part that describes them.")
    const lead = fragment.tracks.find(({ samples }) => samples > 0)
    if (this.#isPaused || lead === undefined) return []
    const isKey = lead.startsWithSync && lead.track.kind === init.tracks[0]?.kind
    const isBroken = this.#run?.isBrokenBy(fragment) === true
    const run = isBroken ? undefined : this.#run
    // A fragment is refused before anything changes, because events of a call that throws would be lost.
    const next = run ?? new EncoderRun(fragment, this.#run?.endMs ?? this.#position.endMs)
    next.check(fragment)
    if (run === undefined && isKey) this.#jumps.count(now)
    const events = isBroken ? [...this.#endRun()] : []
    if (run === undefined && !isKey) {
      this.#waitForKeyFrame(lead)
      return events
    }
    if (run === undefined) events.push(...this.#beginRun(next, init, lead, now))
    this.#append(next, fragment, lead, isKey, events)
    return events
  }

  /** Ends a file of the encoder, and with it a segment that is not too short, so that viewers need not wait for the next file. */
  endFile(): ReadonlyArray<TimelineEvent> {
    const [open, end] = [this.#open, this.#dueMs()]
    return open === undefined || end - open.startMs < this.#options.segmentMs / 2 ? [] : this.#close(end)
  }

  /** Ends the run. The encoder stays; its fragments are dropped until `resume`. */
  pause(): ReadonlyArray<TimelineEvent> {
    this.#isPaused = true
    return this.#endRun()
  }

  /** Continues with the next key frame. */
  resume(): void {
    this.#isPaused = false
    this.#withoutKeyFrameMs = 0
  }

  /** Ends the broadcast, or the encoder's connection. */
  end(): ReadonlyArray<TimelineEvent> {
    return this.#endRun()
  }

  #waitForKeyFrame(lead: FragmentTrack): void {
    this.#withoutKeyFrameMs += (lead.duration / lead.track.timescale) * 1000
    if (this.#withoutKeyFrameMs > LONGEST_WITHOUT_KEY_FRAME_MS) throw noKeyFrame()
  }

  #beginRun(run: EncoderRun, init: Init, lead: FragmentTrack, now: number): ReadonlyArray<TimelineEvent> {
    const { endMs, take } = this.#position
    this.#run = run
    this.#anchor = { startMs: endMs, at: Math.round(now - (lead.duration / lead.track.timescale) * 1000) }
    this.#withoutKeyFrameMs = 0
    if (take?.identity === init.identity) {
      this.#takeInit ??= init
      return []
    }
    this.#takeInit = init
    const next: Take = { number: (take?.number ?? 0) + 1, identity: init.identity, initBytes: init.bytes.length }
    this.#position = { ...this.#position, take: next, fileBytes: next.initBytes }
    return [{ type: "take", take: next, init }]
  }

  #append(run: EncoderRun, fragment: Fragment, lead: FragmentTrack, isKey: boolean, events: TimelineEvent[]): void {
    const start = run.startMs(lead)
    const elapsed = this.#open === undefined ? 0 : start - this.#open.startMs
    const least = this.#options.segmentMs * (run.isWholeIn(fragment) ? EARLY : TARGETS_FOR_WHOLE)
    if (isKey && elapsed >= least) events.push(...this.#close(start))
    if (elapsed > LONGEST_WITHOUT_KEY_FRAME_MS && !isKey) throw noKeyFrame()
    if (this.#open === undefined && !isKey) {
      // No segment is open after a file's end. Sound that belongs to the last file then comes without a picture.
      if (lead.track.kind === "audio") return
      throw new EncoderRefused(
        "no_sync_sample",
        "Each file has to begin with a key frame (ffmpeg: without split_by_time).",
      )
    }
    const isFirst = run.isNew
    run.take(fragment, this.#takeInit?.tracks ?? [])
    // The first segment begins with the earlier of picture and sound, so that no time is lost between runs.
    this.#open ??= this.#newSegment(isFirst ? this.#position.endMs : start, isFirst)
    this.#open.add(fragment, this.#leadMs(lead), isKey)
    events.push(...this.#open.partsReady(this.#options.partMs * EARLY))
  }

  /** Duration that the fragment adds to the segment; sound beside a picture adds none. */
  #leadMs(lead: FragmentTrack): number {
    return lead.track.kind === this.#init?.tracks[0]?.kind ? (lead.duration / lead.track.timescale) * 1000 : 0
  }

  #newSegment(startMs: number, isFirst: boolean): SegmentBuilder {
    const { nextSegment, take, fileBytes } = this.#position
    return new SegmentBuilder({
      number: nextSegment,
      take: take?.number ?? 1,
      offset: fileBytes,
      startMs,
      isDiscontinuous: isFirst && nextSegment > 0,
      at: this.#anchor.at + startMs - this.#anchor.startMs,
    })
  }

  /** Time at which the picture, or sound alone, is due to continue. */
  #dueMs(): number {
    return this.#run?.dueMs(this.#init?.tracks[0]?.kind ?? "video") ?? this.#position.endMs
  }

  #close(endMs: number): ReadonlyArray<TimelineEvent> {
    if (this.#open === undefined) return []
    const { segment, events } = this.#open.close(endMs)
    this.#open = undefined
    const fileBytes = segment.offset + segment.bytes
    this.#position = { ...this.#position, nextSegment: segment.number + 1, endMs, fileBytes }
    return events
  }

  #endRun(): ReadonlyArray<TimelineEvent> {
    const run = this.#run
    if (run === undefined) return []
    const events = this.#close(run.endMs)
    this.#run = undefined
    this.#position = { ...this.#position, endMs: run.endMs }
    return events
  }
}
