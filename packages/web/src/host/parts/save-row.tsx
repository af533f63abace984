import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"

interface SaveRowProps {
  readonly isPending: boolean
  readonly isSaved: boolean
  readonly isDisabled?: boolean
  /** The form is the main one of its page. */
  readonly isMain?: boolean
}

/** The end of a form: its button, and whether its values are saved. */
export const SaveRow = ({ isPending, isSaved, isDisabled = false, isMain = false }: SaveRowProps) => {
  const texts = useConsoleTexts()
  return (
    <div className="row">
      <Button type="submit" look={isMain ? "main" : "plain"} isDisabled={isDisabled} isPending={isPending}>
        {texts.save}
      </Button>
      <span role="status">{isSaved ? texts.host.saved : ""}</span>
    </div>
  )
}
