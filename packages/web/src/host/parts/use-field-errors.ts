/**
 * Errors that a form shows beside its fields. A field shows its error until it is changed, and again whenever the form gets another
 * object: so the object is another one only when the error is.
 */
import { RestProblem } from "@gathercue/client"
import { useMemo } from "react"

export interface FieldError {
  /** Of the refusal. */
  readonly code: string
  readonly field: string
  readonly text: string
}

export interface FieldErrors {
  /** For `validationErrors` of the form. */
  readonly errors: { readonly [field: string]: string }
  /** The failure, where no field has it. */
  readonly rest: unknown
}

const NONE = {}

export const useFieldErrors = (failure: unknown, known: ReadonlyArray<FieldError>): FieldErrors => {
  const found = failure instanceof RestProblem ? known.find(({ code }) => code === failure.code) : undefined
  const field = found?.field
  const text = found?.text
  return useMemo(
    () =>
      field === undefined || text === undefined
        ? { errors: NONE, rest: failure }
        : { errors: { [field]: text }, rest: null },
    [field, text, failure],
  )
}
