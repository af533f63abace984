/** Choice of the language of the pages. */
import { Globe } from "lucide-react"
import { useLanguage, useTexts } from "../texts/language.tsx"
import { canChooseLanguage, chooseLanguage, LANGUAGES } from "../texts/languages.ts"

// The browser's own list is much smaller than a component for it, and the first view of an event has it.
export const LanguageChoice = () => {
  const { language } = useTexts()
  const now = useLanguage()
  if (!canChooseLanguage()) return null
  return (
    <label className="language">
      <Globe aria-hidden="true" />
      <select
        aria-label={language}
        value={now}
        onChange={({ target }) => {
          chooseLanguage(target.value)
          location.reload()
        }}
      >
        {LANGUAGES.map(([one, name]) => (
          <option key={one} value={one} lang={one}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
