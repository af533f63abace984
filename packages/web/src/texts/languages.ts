/** Languages of the pages. Each has one file with all its texts; a browser loads only the one that it shows. */
import type { Texts } from "./en.ts"

/** Each language with its name in itself. The server has fewer for events and emails: `Language` of its contract. */
export const LANGUAGES = [
  ["de", "Deutsch"],
  ["en", "English"],
  ["es", "Español"],
  ["fr", "Français"],
  ["ja", "日本語"],
] as const
export type Language = (typeof LANGUAGES)[number][0]

const KEY = "gathercue.language"
const isLanguage = (text: string): text is Language => LANGUAGES.some(([one]) => one === text)

/** The stored choice, empty for none. Undefined in a frame of another site to which the browser refuses the storage. */
const chosenBefore = (): string | undefined => {
  try {
    return localStorage.getItem(KEY) ?? ""
  } catch {
    return undefined
  }
}

/** The language chosen by the person, that of the page's event, or the first supported one of the browser's. */
export const languageNow = (): Language => {
  const { language: ofEvent = "" } = document.documentElement.dataset
  const preferred = navigator.languages.map((tag) => tag.split("-", 1)[0]?.toLowerCase() ?? "")
  return [chosenBefore() ?? "", ofEvent, ...preferred].find(isLanguage) ?? "en"
}

/** False where the browser keeps no choice. */
export const canChooseLanguage = (): boolean => chosenBefore() !== undefined

/** Takes effect when the page is reloaded. */
export const chooseLanguage = (language: string): void => localStorage.setItem(KEY, language)

export const loadTexts = async (language: Language): Promise<Texts> => {
  switch (language) {
    case "de":
      return (await import("./de.ts")).de
    case "en":
      return (await import("./en.ts")).en
    case "es":
      return (await import("./es.ts")).es
    case "fr":
      return (await import("./fr.ts")).fr
    case "ja":
      return (await import("./ja.ts")).ja
  }
}
