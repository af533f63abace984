/** Forwards an encoder's bytes from this node to the owner of its broadcast: in pieces, in order, each one acknowledged. */
import { newId } from "../../../model/ids.ts"
import type { HeldLink } from "../../../model/links.ts"
import { MOST_GATHERED } from "../../live/encoder-input.ts"
import { type EncoderPort, encoderAddressOf, type StreamEvents, type StreamPort } from "../encoder-port.ts"
import { CHUNK_BYTES, ForwardedStream } from "./forwarded-stream.ts"
import { type Form, type OwnerAnswer, type OwnerRequest, toText } from "./protocol.ts"
import { causeOf } from "./refusals.ts"

/** Limit on the bytes of bodies gathered here for one broadcast. */
export class GatheredBytes {
  #bytes = 0

  add(bytes: number): boolean {
    this.#bytes += bytes
    return this.#bytes <= MOST_GATHERED
  }

  release(bytes: number): void {
    this.#bytes -= bytes
  }
}

interface ForwardedGiven {
  readonly broadcastId: string
  /** Values from the owner's admission. */
  readonly resets: number
  readonly hasEnded: boolean
  readonly link: HeldLink | null
  readonly gathered: GatheredBytes
  readonly ask: (request: OwnerRequest) => Promise<OwnerAnswer>
}

export class ForwardedEncoder implements EncoderPort {
  readonly #given: ForwardedGiven

  constructor(given: ForwardedGiven) {
    this.#given = given
  }

  get resets(): number {
    return this.#given.resets
  }

  get link(): HeldLink | null {
    return this.#given.link
  }

  get hasEnded(): boolean {
    return this.#given.hasEnded
  }

  gather(bytes: number): boolean {
    return this.#given.gathered.add(bytes)
  }

  release(bytes: number): void {
    this.#given.gathered.release(bytes)
  }

  async putFile(bytes: Uint8Array): Promise<void> {
    await this.#send({ kind: "file" }, bytes)
  }

  async putPiece(number: number, bytes: Uint8Array): Promise<number> {
    return (await this.#send({ kind: "piece", number }, bytes)) ?? number + 1
  }

  openStream(events: StreamEvents): StreamPort {
    return new ForwardedStream({ ...this.#given, from: encoderAddressOf(this.link) }, events)
  }

  /** Resolves to the number of the next piece, when the owner has stored the bytes. */
  async #send(form: Form, bytes: Uint8Array): Promise<number | null> {
    const { broadcastId, resets, ask } = this.#given
    const from = encoderAddressOf(this.link)
    const upload = newId()
    let next: number | null = null
    let offset = 0
    do {
      const chunk = bytes.subarray(offset, offset + CHUNK_BYTES)
      const isLast = offset + chunk.byteLength === bytes.byteLength
      const answer = await ask({
        type: "bytes",
        broadcastId,
        upload,
        form,
        offset,
        resets,
        from,
        bytes: toText(chunk),
        isLast,
      })
      if (answer.type === "refused") throw causeOf(answer)
      next = answer.type === "taken" ? answer.next : null
      offset += chunk.byteLength
    } while (offset < bytes.byteLength)
    return next
  }
}
