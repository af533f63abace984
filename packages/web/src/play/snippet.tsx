/** Copies a text that is created on demand. */
import { useState } from "react"
import { useConsoleTexts } from "../texts/language.tsx"
import { Button } from "../ui/button.tsx"

const SHOWN_MS = 2000

export const Snippet = ({ title, text }: { readonly title: string; readonly text: () => string }) => {
  const texts = useConsoleTexts()
  const [isCopied, show] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text())
    show(true)
    setTimeout(() => show(false), SHOWN_MS)
  }
  return (
    <Button onPress={() => void copy().catch(() => show(false))}>
      {isCopied ? texts.copied : texts.play.copyAs(title)}
    </Button>
  )
}
