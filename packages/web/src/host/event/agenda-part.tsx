/** The agenda of a stored event: its order is fixed, phases can be appended, and each can be changed until it ends. */
import type { Modality } from "@gathercue/client"
import { useState } from "react"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useTexts } from "../../texts/language.tsx"
import { Failure } from "../parts/failure.tsx"
import type { EventProps } from "./event-page.tsx"
import { NewPhase } from "./new-phase.tsx"
import { draftOf, inputOf, newDraft } from "./phase-draft.ts"
import { PhaseEditor } from "./phase-editor.tsx"
import { PhaseList } from "./phase-list.tsx"

export const AgendaPart = ({ event, onChange, reload }: EventProps) => {
  const { host } = useTexts()
  const [key, choose] = useState<string | undefined>(undefined)
  const phases = event.phases.map(draftOf)
  const chosen = phases.find((phase) => phase.key === key)
  const adding = useAction((modality: Modality) =>
    rest.appendPhase({ params: { id: event.id }, payload: inputOf(newDraft(modality)) }),
  )
  const add = async (modality: Modality) => {
    const phase = await adding.run(modality)
    if (phase === undefined) return
    onChange({ ...event, phases: [...event.phases, phase] })
    choose(phase.id)
  }
  return (
    <>
      <PhaseList phases={phases} chosen={key} onChoose={choose} />
      <p className="quiet">{host.orderFixed}</p>
      {event.status === "ended" ? null : (
        <NewPhase isPending={adding.isPending} onAdd={(modality) => void add(modality)} />
      )}
      <Failure error={adding.error} />
      {chosen === undefined ? (
        <p className="quiet">{host.choosePhase}</p>
      ) : (
        <PhaseEditor key={chosen.key} eventId={event.id} stored={chosen} onSaved={reload} />
      )}
    </>
  )
}
