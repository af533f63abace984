/** Choice of the next phase's kind. */
import type { Modality } from "@gathercue/client"
import { useState } from "react"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { Choice } from "../../ui/choice.tsx"
import { MODALITY_CHOICES } from "./phase-draft.ts"

export const NewPhase = ({
  onAdd,
  isPending = false,
}: {
  readonly onAdd: (modality: Modality) => void
  readonly isPending?: boolean
}) => {
  const { host, live } = useConsoleTexts()
  const [modality, choose] = useState<Modality>("broadcast")
  return (
    <div className="row text-form">
      <Choice
        label={host.newPhase}
        options={MODALITY_CHOICES.map((one) => [one, live.modality[one]] as const)}
        value={modality}
        onChange={choose}
      />
      <Button isPending={isPending} onPress={() => onAdd(modality)}>
        {host.addPhase}
      </Button>
    </div>
  )
}
