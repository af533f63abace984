/** Target of an admitted encoder's bytes: the owner's object in this process, or the owner on another node. */
import { type HeldLink, linkIdOf } from "../../model/links.ts"
import type { EncoderInput } from "../live/encoder-input.ts"
import type { LiveBroadcast } from "../live/live-broadcast.ts"

export interface StreamEvents {
  /** The stream is no longer accepted. `undefined` means that another encoder took over, or the broadcast is over. */
  readonly onCut: (cause: unknown) => void
  /** Called after a `write` that returned false, when the encoder may continue. */
  readonly onRoom: () => void
}

/** One long stream. */
export interface StreamPort {
  /** Returns false when the encoder must wait. Throws `EncoderRefused`. */
  readonly write: (chunk: Uint8Array) => boolean
  /** The encoder has ended its stream. Resolves when everything is stored. */
  readonly finish: () => Promise<void>
  /** The encoder has left, or its address has ended. Harmless after the end. */
  readonly leave: (isAddressOver?: boolean) => void
}

export interface EncoderPort extends Pick<EncoderInput, "gather" | "release" | "resets"> {
  readonly hasEnded: boolean
  /** Link with which the encoder came. Null for an address given by a node of the previous release. */
  readonly link: HeldLink | null
  readonly putFile: (bytes: Uint8Array) => Promise<void>
  readonly putPiece: (number: number, bytes: Uint8Array) => Promise<number>
  readonly openStream: (events: StreamEvents) => StreamPort
}

interface Own {
  readonly live: LiveBroadcast
  readonly input: EncoderInput
}

/** Identifies the address among those of a broadcast. */
export const encoderAddressOf = (link: HeldLink | null): string =>
  link === null ? "" : `${linkIdOf(link)} ${link.givenAt}`

const ownStream = ({ live, input }: Own, from: string, { onCut, onRoom }: StreamEvents): StreamPort => {
  const stream = input.openStream(() => onCut(undefined), from)
  const silence = live.changes.subscribe(() => {
    if (!live.takesMore) return
    stream.resume()
    onRoom()
  })
  const leave = (isAddressOver?: boolean): void => {
    silence()
    stream.end(isAddressOver)
  }
  return {
    write: (chunk) => {
      stream.write(chunk)
      if (!live.isFull) return true
      stream.pause()
      return false
    },
    finish: () => {
      leave()
      return live.settled()
    },
    leave,
  }
}

/** Port of a broadcast owned by this process. `from` is the encoder's address. */
export const ownPort = (one: Own, link: HeldLink | null = null, from = encoderAddressOf(link)): EncoderPort => ({
  link,
  get resets() {
    return one.input.resets
  },
  get hasEnded() {
    return one.live.hasEnded
  },
  gather: (bytes) => one.input.gather(bytes),
  release: (bytes) => one.input.release(bytes),
  putFile: (bytes) => one.input.putFile(bytes, from),
  putPiece: (number, bytes) => one.input.putPiece(number, bytes, from),
  openStream: (events) => ownStream(one, from, events),
})
