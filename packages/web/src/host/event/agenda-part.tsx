/** Agenda of a stored event: phases can be rearranged until the event starts, new ones appended, and each changed until it ends. */
import type { Modality } from "@gathercue/client"
import { useRef, useState } from "react"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { ProblemNotice } from "../../ui/notice.tsx"
import { ConfirmButton } from "../parts/confirm-button.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import type { EventProps } from "./event-page.tsx"
import { MoveButtons } from "./move-buttons.tsx"
import { NewPhase } from "./new-phase.tsx"
import { draftOf, inputOf, moved, newDraft, type PhaseDraft } from "./phase-draft.ts"
import { PhaseEditor } from "./phase-editor.tsx"
import { PhaseList } from "./phase-list.tsx"
import { useArranging } from "./use-arranging.ts"

export const AgendaPart = ({ event, onChange, reload }: EventProps) => {
  const { host, live } = useConsoleTexts()
  const [key, choose] = useState<string | undefined>(undefined)
  const phases = event.phases.map(draftOf)
  const chosen = phases.find((phase) => phase.key === key)
  const latest = useRef(event)
  latest.current = event
  const { order, remove, isPending, problem } = useArranging({ event, onChange })
  const adding = useAction((modality: Modality) =>
    rest.appendPhase({ params: { id: event.id }, payload: inputOf(newDraft(modality)) }),
  )
  const add = async (modality: Modality) => {
    const phase = await adding.run(modality)
    if (phase === undefined) return
    const now = latest.current
    onChange({ ...now, phases: [...now.phases, phase] })
    choose(phase.id)
  }
  const move =
    order === undefined
      ? undefined
      : (from: number, to: number) => order(moved(phases, from, to).map((phase) => phase.key))
  const removeChosen = async (phase: PhaseDraft) => {
    if (await remove(phase.key)) choose(undefined)
    // A refusal is shown beside the server's agenda.
    return true
  }
  return (
    <>
      <PhaseList phases={phases} chosen={key} onChoose={choose} {...(move === undefined ? {} : { onMove: move })} />
      {event.status === "ended" ? null : (
        <>
          <p className="quiet">{move === undefined ? host.orderFixed : host.orderOpen}</p>
          <NewPhase isPending={adding.isPending || isPending} onAdd={(modality) => void add(modality)} />
        </>
      )}
      <ProblemNotice>{problem}</ProblemNotice>
      <FailureNotice error={adding.error} />
      {chosen === undefined ? (
        <p className="quiet">{host.choosePhase}</p>
      ) : (
        <PhaseEditor key={chosen.key} eventId={event.id} stored={chosen} onSaved={reload}>
          {move === undefined ? null : (
            <div className="row">
              <MoveButtons phases={phases} chosen={chosen} onMove={move} />
              <ConfirmButton
                label={host.removePhase}
                question={host.removePhaseQuestion(live.modality[chosen.modality])}
                isPending={isPending}
                error={null}
                onConfirm={() => removeChosen(chosen)}
              />
            </div>
          )}
        </PhaseEditor>
      )}
    </>
  )
}
