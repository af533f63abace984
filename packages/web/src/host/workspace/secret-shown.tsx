/** A secret, shown only once. */
import { useConsoleTexts } from "../../texts/language.tsx"
import { Notice } from "../../ui/notice.tsx"
import { CopyField } from "../parts/copy-field.tsx"

export const SecretShown = ({ label, secret }: { readonly label: string; readonly secret: string | undefined }) => {
  const { host } = useConsoleTexts()
  if (secret === undefined) return null
  return (
    <>
      <Notice>{host.secretOnce}</Notice>
      <CopyField label={label} value={secret} />
    </>
  )
}
