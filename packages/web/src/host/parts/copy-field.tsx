/** A text to copy, such as a link or a secret. */
import { useState } from "react"
import { TextField as AriaTextField, Input, Label } from "react-aria-components"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"

export const CopyField = ({ label, value }: { readonly label: string; readonly value: string }) => {
  const texts = useConsoleTexts()
  const [copied, setCopied] = useState<string | undefined>(undefined)
  const copy = () =>
    navigator.clipboard.writeText(value).then(
      () => setCopied(value),
      () => setCopied(undefined),
    )
  return (
    <div className="row copy-field">
      <AriaTextField className="field" value={value} isReadOnly>
        <Label>{label}</Label>
        <Input />
      </AriaTextField>
      <Button aria-label={`${texts.copy}: ${label}`} onPress={() => void copy()}>
        {texts.copy}
      </Button>
      <span role="status">{copied === value ? texts.copied : ""}</span>
    </div>
  )
}
