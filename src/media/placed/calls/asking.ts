/** Requests to owners, with their possible answers. */
import { Effect } from "effect"
import { Conflict, NotFound, Unauthorized, Unavailable } from "../../../model/errors.ts"
import type { EncoderAdmission } from "../own-broadcasts.ts"
import type { BroadcastOwners } from "./broadcast-owners.ts"
import type { OwnerAnswer, OwnerRequest } from "./protocol.ts"
import { causeOf } from "./refusals.ts"

type AnswerOf<T extends OwnerAnswer["type"]> = Extract<OwnerAnswer, { readonly type: T }>

const noSense = new Unavailable({ detail: "The broadcast's server gave no answer of use.", retryAfterSeconds: 1 })

const isOf = <T extends OwnerAnswer["type"]>(answer: OwnerAnswer, type: T): answer is AnswerOf<T> =>
  answer.type === type

/** Expects the answer of a type. Any other failure than the expected ones is `Unavailable`. */
export const askedOf =
  ({ ask }: BroadcastOwners) =>
  <T extends OwnerAnswer["type"], F>(
    eventId: string,
    request: OwnerRequest,
    type: T,
    isExpected: (cause: unknown) => cause is F,
  ): Effect.Effect<AnswerOf<T>, F | Unavailable> =>
    Effect.flatMap(ask(eventId, request), (answer): Effect.Effect<AnswerOf<T>, F | Unavailable> => {
      if (isOf(answer, type)) return Effect.succeed(answer)
      const cause = answer.type === "refused" ? causeOf(answer) : noSense
      if (isExpected(cause)) return Effect.fail(cause)
      return Effect.fail(cause instanceof Unavailable ? cause : noSense)
    })

export const isNone = (_: unknown): _ is never => false
export const isNotFound = (cause: unknown): cause is NotFound => cause instanceof NotFound
export const isAdmission = (cause: unknown): cause is EncoderAdmission =>
  cause instanceof Unauthorized || cause instanceof NotFound || cause instanceof Conflict
