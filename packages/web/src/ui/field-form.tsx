/**
 * A form that says what the server refused beside the fields. The browser does not send a form with an error; that of the server is
 * dropped when the form is sent again, because its cause may lie in another field: the server looks anew.
 */

import { RestProblem } from "@gathercue/client"
import { useEffect, useMemo, useRef, useState } from "react"
import { Form, type FormProps } from "react-aria-components"
import { faultsOf, OtherFaults } from "../api/field-faults.ts"
import type { Texts } from "../texts/en.ts"
import { useTexts } from "../texts/language.tsx"
import { wordsOfFault } from "../texts/words.ts"

type FieldErrors = Readonly<Record<string, string>>

const NO_ERRORS: FieldErrors = {}

export interface FieldFaults {
  /** By the names of the fields. */
  readonly errors: FieldErrors
  /** The failure as a whole, for the notice of the form; null where all of it stands beside fields. */
  readonly left: unknown
}

/** The field that a refusal by its code is about, and the words for it. */
export type FieldCodes = Readonly<Record<string, { readonly field: string; readonly words: (texts: Texts) => string }>>

const NO_CODES: FieldCodes = {}

/** `names`: of the fields; each is the path of a value as it is sent, or of what holds it. All arguments are the same objects until there are others. */
export const useFieldFaults = (
  error: unknown,
  names: ReadonlyArray<string>,
  codes: FieldCodes = NO_CODES,
): FieldFaults => {
  const texts = useTexts()
  return useMemo(() => {
    const known = error instanceof RestProblem ? codes[error.code] : undefined
    if (known !== undefined) return { errors: { [known.field]: known.words(texts) }, left: null }
    const errors: Record<string, string> = {}
    const others: string[] = []
    for (const [path, reason] of faultsOf(error)) {
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

/** A field for numbers has its name at a hidden input beside the one in which is typed. */
const nameOf = (input: HTMLInputElement): string =>
  input.name === "" ? (input.closest(".field")?.querySelector<HTMLInputElement>("input[name]")?.name ?? "") : input.name

/** `errors`: the same object until there are others. */
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
    // While it is typed, and not when the field is left: the page would move under the button that is pressed.
    const onInput = ({ target }: Event) => {
      const name = nameOf(target as HTMLInputElement)
      // After the field itself: a page that is shown anew before has the old text.
      setTimeout(() => show((now) => (name in now.shown ? { ...now, shown: without(now.shown, name) } : now)))
    }
    here?.addEventListener("invalid", onInvalid, true)
    here?.addEventListener("input", onInput)
    return () => {
      here?.removeEventListener("invalid", onInvalid, true)
      here?.removeEventListener("input", onInput)
    }
  }, [])
  // The fields have forgotten the errors by now.
  useEffect(() => {
    if (shown !== NO_ERRORS || !isSentAgain.current) return
    isSentAgain.current = false
    // The browser ignores it as long as it is busy with the form that it does not send.
    setTimeout(() => form.current?.requestSubmit())
  }, [shown])
  return <Form {...rest} ref={form} validationErrors={shown} />
}
