/** Pieces on their way to the server, which may take them more slowly than encoders send. */
import type { MediaPiece } from "./encoder-media.ts"

/** Bytes of one encoder that the server has not taken yet: seconds of its media. */
const MOST_UNTAKEN = 4 * 1024 * 1024

interface Untaken {
  bytes: number
  /** A description that was not sent: the next fragment belongs to it. */
  init: MediaPiece | undefined
}

export class OutgoingPieces {
  readonly #send: (session: string, piece: MediaPiece, onTaken: () => void) => void
  readonly #untaken = new Map<string, Untaken>()

  constructor(send: (session: string, piece: MediaPiece, onTaken: () => void) => void) {
    this.#send = send
  }

  /** Sends a piece, and before it a description that waits. Beyond the limit fragments are dropped, and the latest description waits. */
  add(session: string, piece: MediaPiece): void {
    const own = this.#untaken.get(session) ?? { bytes: 0, init: undefined }
    this.#untaken.set(session, own)
    if (own.bytes > MOST_UNTAKEN) {
      if (piece.isInit) own.init = piece
      return
    }
    const pieces = piece.isInit || own.init === undefined ? [piece] : [own.init, piece]
    own.init = undefined
    for (const one of pieces) {
      own.bytes += one.bytes.length
      this.#send(session, one, () => {
        own.bytes -= one.bytes.length
      })
    }
  }

  end(session: string): void {
    this.#untaken.delete(session)
  }
}
