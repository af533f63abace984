/** Mounts a page in its HTML file. */
import { StrictMode } from "react"
import { I18nProvider } from "react-aria-components"
import { createRoot } from "react-dom/client"
import { LanguageProvider } from "../texts/language.tsx"
import { languageNow, loadTexts } from "../texts/languages.ts"
import { keepFocus } from "./keep-focus.ts"
import "./base.css"
import "./ui.css"

export const showApp = async (app: React.ReactNode): Promise<void> => {
  const root = document.getElementById("root")
  if (root === null) throw new Error("the page has no #root")
  const language = languageNow()
  document.documentElement.lang = language
  const texts = await loadTexts(language)
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
