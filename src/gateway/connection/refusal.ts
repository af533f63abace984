/** Maps expected failures to refusals in a reply. A defect is logged, and its reply has no details. */
import type { Refused } from "../../actors/commands.ts"
import type { Conflict, Forbidden, NotFound, Unavailable } from "../../model/errors.ts"
import type { Refusal, RefusalCode } from "../../protocol/refusals.ts"

export const refusal = (code: RefusalCode, message: string): Refusal => ({ code, message })

/** Refuses a command that may be sent again after the given time. */
export const refuseForNow = (code: RefusalCode, message: string, retryAfterMs: number): Refusal => ({
  code,
  message,
  temporary: true,
  retryAfterMs,
})

export const refusalOf = (failure: Refused | Conflict | Forbidden | NotFound | Unavailable): Refusal => {
  switch (failure._tag) {
    case "Refused": {
      const { code, detail, current, retryAfterMs } = failure
      if (retryAfterMs !== undefined) return refuseForNow(code, detail, retryAfterMs)
      return current === undefined ? refusal(code, detail) : { code, message: detail, current }
    }
    case "Conflict":
      return refusal("conflict", failure.detail)
    case "Forbidden":
      return refusal("forbidden", failure.detail)
    case "NotFound":
      return refusal("not_found", failure.detail)
    case "Unavailable":
      return refuseForNow("unavailable", failure.detail, failure.retryAfterSeconds * 1000)
  }
}
