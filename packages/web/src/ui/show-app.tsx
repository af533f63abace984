/** Mounts a page in its HTML file. */
import { StrictMode } from "react"
import { I18nProvider } from "react-aria-components"
import { createRoot } from "react-dom/client"
import type { Texts } from "../texts/en.ts"
import { LanguageProvider } from "../texts/language.tsx"
import { type Language, languageNow, loadTexts } from "../texts/languages.ts"
import { keepFocus } from "./keep-focus.ts"
import "./base.css"
import "./ui.css"

/** `load`: the texts that the page needs. */
export const showApp = async (
  app: React.ReactNode,
  load: (language: Language) => Promise<Texts> = loadTexts,
): Promise<void> => {
  const root = document.getElementById("root")
  if (root === null) throw new Error("the page has no #root")
  const language = languageNow()
  document.documentElement.lang = language
  const texts = await load(language)
  keepFocus(root)
  createRoot(root).render(
    <StrictMode>
      <I18nProvider locale={language}>
        <LanguageProvider language={language} texts={texts}>
          {app}
        </LanguageProvider>
      </I18nProvider>
    </StrictMode>,
  )
}
