/** Where the bytes of an admitted encoder go: to the owner's object in this process, or through another node to the owner. */
import { type HeldLink, linkIdOf } from "../../model/links.ts"
import type { EncoderInput } from "../live/encoder-input.ts"
import type { LiveBroadcast } from "../live/live-broadcast.ts"

export interface StreamEvents {
  /** The stream is not taken any more. `undefined`: another encoder took over, or the broadcast is over. */
  readonly onCut: (cause: unknown) => void
  /** Called after a `write` that returned false: the encoder may go on. */
  readonly onRoom: () => void
}

/** One long stream. */
export interface StreamPort {
  /** False: the encoder has to wait. Throws `EncoderRefused`. */
  readonly write: (chunk: Uint8Array) => boolean
  /** The encoder has ended its stream. Resolves when all of it is stored. */
  readonly finish: () => Promise<void>
  /** The encoder is gone, or its address has ended. Harmless after the end. */
  readonly leave: (isAddressOver?: boolean) => void
}

export interface EncoderPort extends Pick<EncoderInput, "gather" | "release" | "resets"> {
  readonly hasEnded: boolean
  /** The link by which the encoder came. Null: a node of the release before gave the address. */
  readonly link: HeldLink | null
  readonly putFile: (bytes: Uint8Array) => Promise<void>
  readonly putPiece: (number: number, bytes: Uint8Array) => Promise<number>
  readonly openStream: (events: StreamEvents) => StreamPort
}

interface Own {
  readonly live: LiveBroadcast
  readonly input: EncoderInput
}

/** Names the address among those of a broadcast. */
export const addressOf = (link: HeldLink | null): string => (link === null ? "" : `${linkIdOf(link)} ${link.givenAt}`)

const ownStream = ({ live, input }: Own, from: string, { onCut, onRoom }: StreamEvents): StreamPort => {
  const stream = input.openStream(() => onCut(undefined), from)
  const silence = live.changes.subscribe(() => {
    if (!live.hasRoom) return
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

/** Of a broadcast that this process owns. `from`: the encoder's address. */
export const ownPort = (one: Own, link: HeldLink | null = null, from = addressOf(link)): EncoderPort => ({
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
