/** Agenda of an event that is not stored yet: everything can be changed. */
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { MoveButtons } from "./move-buttons.tsx"
import { NewPhase } from "./new-phase.tsx"
import { moved, newDraft, type PhaseDraft } from "./phase-draft.ts"
import { PhaseFields } from "./phase-fields.tsx"
import { PhaseList } from "./phase-list.tsx"

export const DraftAgenda = ({
  phases,
  onChange,
  chosenKey: key,
  onChoose: choose,
}: {
  readonly phases: ReadonlyArray<PhaseDraft>
  readonly onChange: (phases: ReadonlyArray<PhaseDraft>) => void
  readonly chosenKey: string | undefined
  readonly onChoose: (key: string | undefined) => void
}) => {
  const { host, live } = useConsoleTexts()
  const chosen = phases.find((phase) => phase.key === key)
  return (
    <fieldset className="stack">
      <legend>{host.agenda}</legend>
      <PhaseList
        phases={phases}
        chosen={key}
        onChoose={choose}
        onMove={(from, to) => onChange(moved(phases, from, to))}
      />
      <NewPhase
        onAdd={(modality) => {
          const draft = newDraft(modality)
          onChange([...phases, draft])
          choose(draft.key)
        }}
      />
      {chosen === undefined ? null : (
        <section className="panel stack" aria-label={live.modality[chosen.modality]}>
          <h3>{live.modality[chosen.modality]}</h3>
          <PhaseFields
            within={`phases.${phases.indexOf(chosen)}.`}
            draft={chosen}
            onChange={(draft) => onChange(phases.map((phase) => (phase.key === draft.key ? draft : phase)))}
          />
          <div className="row">
            <MoveButtons phases={phases} chosen={chosen} onMove={(from, to) => onChange(moved(phases, from, to))} />
            <Button
              onPress={() => {
                onChange(phases.filter((phase) => phase.key !== key))
                choose(undefined)
              }}
            >
              {host.removePhase}
            </Button>
          </div>
        </section>
      )}
    </fieldset>
  )
}
