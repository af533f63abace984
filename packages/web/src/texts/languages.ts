/** Languages of the pages. Each has one file with all its texts; a browser loads only the one that it shows. */
import type { Texts } from "./en.ts"

export const LANGUAGES = ["en", "de"] as const
export type Language = (typeof LANGUAGES)[number]

const KEY = "gathercue.language"
const isLanguage = (text: string): text is Language => LANGUAGES.some((one) => one === text)

/** In a frame of another site a browser may refuse the storage. */
const chosenBefore = (): string => {
  try {
    return localStorage.getItem(KEY) ?? ""
  } catch {
    return ""
  }
}

/** The language chosen by the person, that of the page's event, or the first supported one of the browser's. */
export const languageNow = (): Language => {
  const { language: ofEvent = "" } = document.documentElement.dataset
  const preferred = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase())
  return [chosenBefore(), ofEvent, ...preferred].find(isLanguage) ?? "en"
}

/** Takes effect when the page is reloaded. */
export const chooseLanguage = (language: Language): void => localStorage.setItem(KEY, language)

export const loadTexts = async (language: Language): Promise<Texts> => {
  switch (language) {
    case "en":
      return (await import("./en.ts")).en
    case "de":
      return (await import("./de.ts")).de
  }
}
