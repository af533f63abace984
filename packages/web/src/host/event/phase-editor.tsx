/** Editor of a stored phase. Another person's concurrent change is shown before it is overwritten. */
import { useState } from "react"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { FieldForm, useFieldFaults } from "../../ui/field-form.tsx"
import { Notice } from "../../ui/notice.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { draftOf, isSame, PHASE_FIELDS, type PhaseDraft } from "./phase-draft.ts"
import { PhaseFields } from "./phase-fields.tsx"

interface Props {
  readonly eventId: string
  readonly stored: PhaseDraft
  readonly onSaved: () => void
  /** Further actions on the phase. */
  readonly children?: React.ReactNode
}

type Outcome = { readonly is: "saved" } | { readonly is: "changed"; readonly now: PhaseDraft }

const save = async (eventId: string, before: PhaseDraft, draft: PhaseDraft): Promise<Outcome> => {
  const { phases } = await rest.getEvent({ params: { id: eventId } })
  const stored = phases.find(({ id }) => id === draft.key)
  if (stored !== undefined && !isSame(draftOf(stored), before)) return { is: "changed", now: draftOf(stored) }
  const { config, featureSet } = draft
  await rest.patchPhase({ params: { id: draft.key }, payload: { config, featureSet } })
  return { is: "saved" }
}

export const PhaseEditor = ({ eventId, stored, onSaved, children }: Props) => {
  const texts = useConsoleTexts()
  const { host, live } = texts
  const [before, look] = useState(stored)
  const [draft, change] = useState(stored)
  const [message, say] = useState<string | undefined>(undefined)
  const { run, isPending, error } = useAction(() => save(eventId, before, draft))
  const { errors, left } = useFieldFaults(error, PHASE_FIELDS)
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    const outcome = await run()
    if (outcome === undefined) return
    if (outcome.is === "changed") {
      look(outcome.now)
      say(host.phaseChanged)
    } else {
      look(draft)
      say(host.saved)
    }
    onSaved()
  }
  const title = live.modality[stored.modality]
  return (
    <section className="panel stack" aria-label={title}>
      <h2>{title}</h2>
      {stored.status === "ended" || stored.status === "skipped" ? (
        <p className="quiet">{host.phaseStatus[stored.status]}</p>
      ) : (
        <FieldForm className="stack" errors={errors} onSubmit={(submitted) => void submit(submitted)}>
          <PhaseFields draft={draft} onChange={change} />
          <FailureNotice error={left} />
          {message === undefined ? null : <Notice>{message}</Notice>}
          <div className="row">
            <Button type="submit" look="main" isPending={isPending}>
              {texts.save}
            </Button>
            {isSame(draft, before) ? null : <Button onPress={() => change(before)}>{host.takeStored}</Button>}
          </div>
        </FieldForm>
      )}
      {children}
    </section>
  )
}
