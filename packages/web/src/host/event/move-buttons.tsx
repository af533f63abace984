/** Moves a phase by one position, for people who do not drag. */
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import type { PhaseDraft } from "./phase-draft.ts"

export const MoveButtons = ({
  phases,
  chosen,
  onMove,
  isPending = false,
}: {
  readonly phases: ReadonlyArray<PhaseDraft>
  readonly chosen: PhaseDraft
  readonly onMove: (from: number, to: number) => void
  readonly isPending?: boolean
}) => {
  const { host } = useConsoleTexts()
  const place = phases.findIndex(({ key }) => key === chosen.key)
  return (
    <>
      <Button isPending={isPending} isDisabled={place <= 0} onPress={() => onMove(place, place - 1)}>
        {host.earlier}
      </Button>
      <Button isPending={isPending} isDisabled={place === phases.length - 1} onPress={() => onMove(place, place + 1)}>
        {host.later}
      </Button>
    </>
  )
}
