/** Keeps a copy of the event as a template of the workspace. */
import type { EventWithPhases } from "@gathercue/client"
import { useState } from "react"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { TextField } from "../../ui/fields.tsx"
import { FailureNotice } from "../parts/failure.tsx"

export const TemplateButton = ({ event }: { readonly event: EventWithPhases }) => {
  const texts = useConsoleTexts()
  const { host } = texts
  const [isOpen, open] = useState(false)
  const [name, write] = useState(event.title)
  const [isSaved, saved] = useState(false)
  const { run, isPending, error } = useAction(() =>
    rest.createTemplate({ params: { id: event.id }, payload: { name: name.trim() } }),
  )
  const save = async () => {
    if ((await run()) === undefined) return
    open(false)
    saved(true)
  }
  return (
    <>
      <Button onPress={() => open(true)}>{host.saveTemplate}</Button>
      <span role="status">{isSaved ? host.templateSaved : ""}</span>
      <Dialog title={host.saveTemplate} isOpen={isOpen} onClose={() => open(false)}>
        <p>{host.templateHint}</p>
        <TextField label={host.templateName} value={name} onChange={write} isRequired maxLength={200} />
        <FailureNotice error={error} />
        <div className="row">
          <Button look="main" isPending={isPending} onPress={() => void save()}>
            {texts.save}
          </Button>
          <Button onPress={() => open(false)}>{texts.cancel}</Button>
        </div>
      </Dialog>
    </>
  )
}
