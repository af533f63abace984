/** Language choice of the pages. */
import { useLanguage, useTexts } from "../../texts/language.tsx"
import { chooseLanguage, LANGUAGES } from "../../texts/languages.ts"
import { Button } from "../../ui/button.tsx"

export const LanguageChoice = () => {
  const { language } = useTexts()
  const now = useLanguage()
  const [other] = LANGUAGES.filter((one) => one !== now)
  if (other === undefined) return null
  return (
    <Button
      aria-label={`${language}: ${other}`}
      onPress={() => {
        chooseLanguage(other)
        location.reload()
      }}
    >
      {other.toUpperCase()}
    </Button>
  )
}
