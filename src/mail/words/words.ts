/** Texts of emails about an event in its language. */
import type { Language } from "../../model/presentation.ts"
import { de } from "./de.ts"
import { en, type Words } from "./en.ts"

const WORDS: { readonly [language in Language]: Words } = { en, de }

/** Language of emails about events that have none. */
const USUAL: Language = "en"

export const languageOf = (language: Language | null): Language => language ?? USUAL
export const wordsOf = (language: Language | null): Words => WORDS[languageOf(language)]
