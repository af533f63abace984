/** Where the bytes of an admitted encoder go: to the owner's object in this process, or through another node to the owner. */
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
  /** The encoder is gone. Harmless after the end. */
  readonly leave: () => void
}

export interface EncoderPort extends Pick<EncoderInput, "gather" | "release" | "resets" | "putFile" | "putPiece"> {
  readonly hasEnded: boolean
  readonly openStream: (events: StreamEvents) => StreamPort
}

interface Own {
  readonly live: LiveBroadcast
  readonly input: EncoderInput
}

const ownStream = ({ live, input }: Own, { onCut, onRoom }: StreamEvents): StreamPort => {
  const stream = input.openStream(() => onCut(undefined))
  const silence = live.changes.subscribe(() => {
    if (!live.hasRoom) return
    stream.resume()
    onRoom()
  })
  const leave = (): void => {
    silence()
    stream.end()
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

/** Of a broadcast that this process owns. */
export const ownPort = (one: Own): EncoderPort => ({
  get resets() {
    return one.input.resets
  },
  get hasEnded() {
    return one.live.hasEnded
  },
  gather: (bytes) => one.input.gather(bytes),
  release: (bytes) => one.input.release(bytes),
  putFile: (bytes) => one.input.putFile(bytes),
  putPiece: (number, bytes) => one.input.putPiece(number, bytes),
  openStream: (events) => ownStream(one, events),
})
