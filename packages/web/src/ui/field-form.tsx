/**
 * A form that shows the server's refusals beside the fields. The browser does not submit a form with an error; the server's errors are
 * cleared when the form is submitted again, because their cause may lie in another field: the server checks anew.
 */

import { RestProblem } from "@gathercue/client"
import { useEffect, useMemo, useRef, useState } from "react"
import { Form, type FormProps } from "react-aria-components"
import { fieldFaultsOf, OtherFaults } from "../api/field-faults.ts"
import type { ConsoleTexts } from "../texts/console/en.ts"
import { hasConsoleTexts, useTexts } from "../texts/language.tsx"
import { wordsOfFault } from "../texts/words.ts"

type FieldErrors = Readonly<Record<string, string>>

const NO_ERRORS: FieldErrors = {}

interface FieldFaults {
  /** Errors by field name. */
  readonly errors: FieldErrors
  /** The failure as a whole, for the notice of the form; null when all of it is shown beside fields. */
  readonly left: unknown
}

/** Field to which a refusal code belongs, and its text. Forms of the console alone have them. */
export type FieldCodes = Readonly<
  Record<string, { readonly field: string; readonly words: (texts: ConsoleTexts) => string }>
>

const NO_CODES: FieldCodes = {}

/**
 * `names` are those of the fields; each is the path of a value in the request, or of its parent. All arguments must be the same objects
 * until they change.
 */
export const useFieldFaults = (
  error: unknown,
  names: ReadonlyArray<string>,
  codes: FieldCodes = NO_CODES,
): FieldFaults => {
  const texts = useTexts()
  return useMemo(() => {
    const known = error instanceof RestProblem ? codes[error.code] : undefined
    if (known !== undefined && hasConsoleTexts(texts))
      return { errors: { [known.field]: known.words(texts) }, left: null }
    const errors: Record<string, string> = {}
    const others: string[] = []
    for (const [path, reason] of fieldFaultsOf(error)) {
      const name = names.find((one) => path === one || path.startsWith(`${one}.`))
      const words = wordsOfFault(texts, reason)
      if (name === undefined) others.push(`${path}: ${words}`)
      else errors[name] ??= words
    }
    if (Object.keys(errors).length === 0) return { errors: NO_ERRORS, left: error }
    return { errors, left: others.length === 0 ? null : new OtherFaults(others.join(" ")) }
  }, [texts, error, names, codes])
}

const without = (errors: FieldErrors, name: string): FieldErrors =>
  Object.fromEntries(Object.entries(errors).filter(([other]) => other !== name))

/** A number field has its name at a hidden input beside the visible one. */
const nameOf = (input: HTMLInputElement): string =>
  input.name === "" ? (input.closest(".field")?.querySelector<HTMLInputElement>("input[name]")?.name ?? "") : input.name

/** `errors` must be the same object until it changes. */
export const FieldForm = ({ errors, ...rest }: Omit<FormProps, "validationErrors"> & Pick<FieldFaults, "errors">) => {
  const form = useRef<HTMLFormElement>(null)
  const isSentAgain = useRef(false)
  const [{ of, shown }, show] = useState({ of: errors, shown: errors })
  if (of !== errors) show({ of: errors, shown: errors })
  useEffect(() => {
    const here = form.current
    const onInvalid = (event: Event) => {
      if (!(event.target as HTMLInputElement).validity.customError) return
      event.preventDefault()
      event.stopPropagation()
      isSentAgain.current = true
      show((now) => ({ ...now, shown: NO_ERRORS }))
    }
    // Cleared on input and not on blur, because the page would move under the button that is pressed.
    const onInput = ({ target }: Event) => {
      const name = nameOf(target as HTMLInputElement)
      // Runs after the field's own handler: an earlier render would have the old text.
      setTimeout(() => show((now) => (name in now.shown ? { ...now, shown: without(now.shown, name) } : now)))
    }
    here?.addEventListener("invalid", onInvalid, true)
    here?.addEventListener("input", onInput)
    return () => {
      here?.removeEventListener("invalid", onInvalid, true)
      here?.removeEventListener("input", onInput)
    }
  }, [])
  // The fields have cleared the errors by now.
  useEffect(() => {
    if (shown !== NO_ERRORS || !isSentAgain.current) return
    isSentAgain.current = false
    // The browser ignores the request until it is done with the form that it does not submit.
    setTimeout(() => form.current?.requestSubmit())
  }, [shown])
  return <Form {...rest} ref={form} validationErrors={shown} />
}
