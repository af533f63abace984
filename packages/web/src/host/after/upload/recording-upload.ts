/**
 * Upload of one file as a recording: begun, sent in parts or as a whole, completed. Sent bytes are not sent again: a stored part stays, and
 * a whole upload resumes where the stored bytes end.
 */
import { RestProblem } from "@gathercue/client"
import { rest } from "../../../api/rest.ts"
import { sendBytes } from "./send-bytes.ts"

type Begun = Awaited<ReturnType<typeof rest.createRecording>>

export interface UploadView {
  readonly fileName: string
  readonly totalBytes: number
  readonly sentBytes: number
  /** `stopped` has its reason in `error`, and `start` resumes. `done` means that the server inspects the file. */
  readonly state: "sending" | "stopped" | "done"
  readonly error: unknown
}

export interface UploadInput {
  readonly eventId: string
  readonly file: File
  readonly title: string
}

/** Delays after a lost connection, which often returns at once. */
const RETRY_MS: ReadonlyArray<number> = [500, 1500]
/** Delay for a server with many concurrent uploads, which gives other workspaces their turn. */
const BUSY_MS = 5000
const MOST_BUSY = 24

const isBusy = (failure: unknown): boolean => failure instanceof RestProblem && failure.status === 503

/** Pause before the next attempt; undefined when there is none. */
class Pauses {
  #lost = 0
  #busy = 0

  after(failure: unknown): number | undefined {
    if (failure instanceof TypeError) return RETRY_MS[this.#lost++]
    return isBusy(failure) && this.#busy++ < MOST_BUSY ? BUSY_MS : undefined
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", end)
      resolve()
    }, ms)
    signal.addEventListener("abort", end)
  })

/** Null when the address does not report it, such as that of a bucket, which takes the whole again. */
const storedBytes = async (url: string, signal: AbortSignal): Promise<number | null> => {
  const answer = await fetch(url, { method: "HEAD", signal })
  const offset = answer.ok ? answer.headers.get("upload-offset") : null
  return offset === null ? null : Number(offset)
}

export class RecordingUpload {
  readonly #input: UploadInput
  readonly #onChange: () => void
  /** Answer of the creation, perhaps still pending; undefined before the first attempt, and after a failed one. */
  #beginning: Promise<Begun> | undefined
  #storedParts = 0
  #hasTried = false
  #ended = new AbortController()
  #view: UploadView

  constructor(input: UploadInput, onChange: () => void) {
    this.#input = input
    this.#onChange = onChange
    const { name: fileName, size: totalBytes } = input.file
    this.#view = { fileName, totalBytes, sentBytes: 0, state: "sending", error: null }
  }

  get view(): UploadView {
    return this.#view
  }

  /** Begins or resumes. Never rejects. */
  start = async (): Promise<void> => {
    const { signal } = this.#ended
    this.#show({ state: "sending", error: null })
    try {
      this.#beginning ??= this.#begin()
      const begun = await this.#beginning
      signal.throwIfAborted()
      await this.#send(begun, signal)
      const { id } = begun
      await rest.completeRecording({ params: { id }, payload: { sizeBytes: this.#input.file.size } }, { signal })
      this.#show({ state: "done" })
    } catch (error) {
      if (!signal.aborted) this.#show({ state: "stopped", error })
    }
  }

  /** Stops, and removes sent bytes. A recording that is being created must be awaited, because its id comes with the answer. */
  cancel = async (): Promise<void> => {
    this.#ended.abort()
    this.#ended = new AbortController()
    const begun = await this.#beginning?.catch(() => undefined)
    if (begun !== undefined) await rest.deleteRecording({ params: { id: begun.id } })
  }

  async #begin(): Promise<Begun> {
    const { eventId, file, title } = this.#input
    try {
      return await rest.createRecording({
        params: { id: eventId },
        payload: { kind: "merged", sizeBytes: file.size, ...(title === "" ? {} : { title }) },
      })
    } catch (failure) {
      this.#beginning = undefined
      throw failure
    }
  }

  async #send(begun: Begun, signal: AbortSignal): Promise<void> {
    const { parts } = begun
    if (parts === null) return this.#repeat(signal, () => this.#sendWhole(begun.uploadUrl, signal))
    while (this.#storedParts < parts.maxParts) {
      await this.#repeat(signal, () => this.#sendPart(begun, parts.sizeBytes, signal))
      this.#storedParts += 1
    }
  }

  async #sendPart({ id }: Begun, partBytes: number, signal: AbortSignal): Promise<void> {
    const number = this.#storedParts + 1
    const from = (number - 1) * partBytes
    const addresses = await rest.addressParts({ params: { id }, payload: { from: number, to: number } }, { signal })
    for (const { url, sizeBytes } of addresses.parts) {
      await sendBytes({
        url,
        signal,
        bytes: this.#input.file.slice(from, from + sizeBytes),
        onProgress: (sent) => this.#show({ sentBytes: from + sent }),
      })
    }
  }

  async #sendWhole(url: string, signal: AbortSignal): Promise<void> {
    const { file } = this.#input
    const offset = this.#hasTried ? await storedBytes(url, signal) : null
    this.#hasTried = true
    const from = offset ?? 0
    if (from === file.size) return
    await sendBytes({
      url,
      signal,
      bytes: file.slice(from),
      headers: offset === null ? {} : { "content-range": `bytes ${from}-${file.size - 1}/${file.size}` },
      onProgress: (sent) => this.#show({ sentBytes: from + sent }),
    })
  }

  async #repeat(signal: AbortSignal, send: () => Promise<void>): Promise<void> {
    const pauses = new Pauses()
    while (true) {
      try {
        return await send()
      } catch (failure) {
        const wait = signal.aborted ? undefined : pauses.after(failure)
        if (wait === undefined) throw failure
        await pause(wait, signal)
      }
    }
  }

  #show(changed: Partial<UploadView>): void {
    this.#view = { ...this.#view, ...changed }
    this.#onChange()
  }
}
