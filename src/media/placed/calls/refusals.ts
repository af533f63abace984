/** Expected failures of an owner, encoded for another node. Other errors are not sent. */
import { Conflict, EncoderReplaced, NotFound, RateLimited, Unauthorized, Unavailable } from "../../../model/errors.ts"
import { type EncoderRefusalCode, EncoderRefused } from "../../broadcast/fmp4/refusal.ts"
import { PieceOutOfOrder } from "../../live/encoder-input.ts"
import type { EncoderFailure } from "../../live/live-broadcast.ts"
import type { OwnerRefusal } from "./protocol.ts"

export const noAnswer = new Unavailable({ detail: "The broadcast's server does not answer.", retryAfterSeconds: 1 })

export const notStored = new Unavailable({ detail: "The broadcast could not be stored.", retryAfterSeconds: 2 })

type Told = Omit<OwnerRefusal, "type">

const told = (cause: unknown): Told => {
  if (cause instanceof EncoderRefused) return { error: "EncoderRefused", code: cause.code, detail: cause.message }
  if (cause instanceof PieceOutOfOrder) return { error: "PieceOutOfOrder", next: cause.next, detail: cause.message }
  if (cause instanceof RateLimited) {
    const { limit, retryAfterSeconds } = cause
    return { error: cause._tag, code: limit, retryAfterSeconds, detail: "" }
  }
  if (cause instanceof Unauthorized || cause instanceof NotFound || cause instanceof Conflict) {
    return { error: cause._tag, detail: cause.detail }
  }
  if (cause instanceof EncoderReplaced) return { error: cause._tag, detail: "" }
  const { _tag, detail, retryAfterSeconds } = cause instanceof Unavailable ? cause : notStored
  return { error: _tag, detail, retryAfterSeconds }
}

export const refusedBecause = (cause: unknown): OwnerRefusal => ({ type: "refused", ...told(cause) })

type OwnerFailure = EncoderReplaced | Unauthorized | NotFound | Conflict | RateLimited | Unavailable

/** Restores the owner's failure. */
export const causeOf = (refused: OwnerRefusal): OwnerFailure | EncoderRefused | PieceOutOfOrder => {
  const { error, detail, code = "", retryAfterSeconds = 1, next = 0 } = refused
  switch (error) {
    case "EncoderRefused":
      return new EncoderRefused(code as EncoderRefusalCode, detail)
    case "PieceOutOfOrder":
      return new PieceOutOfOrder(next)
    case "EncoderReplaced":
      return new EncoderReplaced()
    case "RateLimited":
      return new RateLimited({ limit: code, retryAfterSeconds })
    case "Unauthorized":
      return new Unauthorized({ detail })
    case "NotFound":
      return new NotFound({ detail })
    case "Conflict":
      return new Conflict({ detail })
    default:
      return new Unavailable({ detail, retryAfterSeconds })
  }
}

/** A node of another release may send other codes, which only people and statistics read. */
export const encoderFailureOf = (
  failure: { readonly code: string; readonly detail: string } | null,
): EncoderFailure | null => (failure === null ? null : { ...failure, code: failure.code as EncoderFailure["code"] })
