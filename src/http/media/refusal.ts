/** Failures of requests for media as problem responses. */
import { Exit } from "effect"
import { OffsetMismatch } from "../../media/storage/storage.ts"
import type { Failure } from "../../model/errors.ts"
import type { HttpResponse } from "../transport/message.ts"
import type { Problems } from "../transport/problem.ts"

/** Header with the byte offset at which to resume the upload. */
export const offsetHeader = (offset: number): HttpResponse["headers"] => [["upload-offset", String(offset)]]

/** A wrong offset is a conflict that reports the right one. */
export const refusalResponse = (
  exit: Exit.Failure<unknown, Failure | OffsetMismatch>,
  problems: Problems,
  requestId: string,
): HttpResponse => {
  const failure = Exit.findErrorOption(exit)
  if (failure._tag === "None") return problems.internalError(requestId)
  if (!(failure.value instanceof OffsetMismatch)) return problems.of(failure.value)
  const { offset } = failure.value
  return problems.write("conflict", `The stored bytes end at ${offset}.`, offsetHeader(offset))
}
