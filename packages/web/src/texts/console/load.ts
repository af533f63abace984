/** All texts of a language, for the pages of hosts and operators and for the playground. */
import type { Language } from "../languages.ts"
import { loadTexts } from "../languages.ts"
import type { ConsoleTexts, consoleEn } from "./en.ts"

const loadOwn = async (language: Language): Promise<typeof consoleEn> => {
  switch (language) {
    case "de":
      return (await import("./de.ts")).consoleDe
    case "en":
      return (await import("./en.ts")).consoleEn
    case "es":
      return (await import("./es.ts")).consoleEs
    case "fr":
      return (await import("./fr.ts")).consoleFr
    case "ja":
      return (await import("./ja.ts")).consoleJa
  }
}

export const loadConsoleTexts = async (language: Language): Promise<ConsoleTexts> => {
  const [texts, own] = await Promise.all([loadTexts(language), loadOwn(language)])
  return { ...texts, ...own }
}
