/** Phases in order, one of them selected. Phases that have not begun can be dragged, also by keyboard. */
import { GripVertical } from "lucide-react"
import { Button, DropIndicator, GridList, GridListItem, useDragAndDrop } from "react-aria-components"
import { useConsoleTexts } from "../../texts/language.tsx"
import type { PhaseDraft } from "./phase-draft.ts"

interface PhaseListProps {
  readonly phases: ReadonlyArray<PhaseDraft>
  readonly chosen: string | undefined
  readonly onChoose: (key: string | undefined) => void
  /** Absent where the order is fixed. `to` is the position among the others. */
  readonly onMove?: (from: number, to: number) => void
}

export const PhaseList = ({ phases, chosen, onChoose, onMove }: PhaseListProps) => {
  const { host, live } = useConsoleTexts()
  const titleOf = ({ modality }: PhaseDraft, index: number): string => `${index + 1}. ${live.modality[modality]}`
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ "text/plain": String(key) })),
    renderDropIndicator: (target) => <DropIndicator target={target} className="drop-line" />,
    onReorder: ({ keys, target }) => {
      const from = phases.findIndex(({ key }) => keys.has(key))
      const others = phases.filter((_, index) => index !== from)
      const at = others.findIndex(({ key }) => key === target.key)
      if (from >= 0 && at >= 0) onMove?.(from, target.dropPosition === "after" ? at + 1 : at)
    },
  })
  return (
    <GridList
      // A list whose order becomes fixed is remounted, because its hooks cannot be removed.
      key={onMove === undefined ? "fixed" : "open"}
      aria-label={host.agenda}
      items={phases.map((phase, index) => ({ ...phase, id: phase.key, index }))}
      selectionMode="single"
      selectedKeys={chosen === undefined ? [] : [chosen]}
      onSelectionChange={(keys) => {
        const [key] = keys === "all" ? [] : [...keys]
        onChoose(key === undefined ? undefined : String(key))
      }}
      {...(onMove === undefined ? {} : { dragAndDropHooks })}
      renderEmptyState={() => <p className="quiet">{host.noPhases}</p>}
    >
      {(phase) => (
        <GridListItem id={phase.key} textValue={titleOf(phase, phase.index)} className="phase-row option">
          {onMove === undefined ? null : (
            <Button slot="drag" className="button button-quiet" aria-label={host.drag(titleOf(phase, phase.index))}>
              <GripVertical />
            </Button>
          )}
          <span className="phase-name">
            {titleOf(phase, phase.index)}{" "}
            <span>
              {phase.config.durationSeconds === undefined
                ? host.noTimer
                : host.lasts(Math.round(phase.config.durationSeconds / 6) / 10)}
              {phase.featureSet.length === 0
                ? ""
                : `, ${phase.featureSet.map((feature) => host.feature[feature]).join(", ")}`}
            </span>
          </span>
          <span className="badge">{host.phaseStatus[phase.status]}</span>
        </GridListItem>
      )}
    </GridList>
  )
}
