/** A phase in the editor, before or after it is stored. */
import type { Feature, Modality, Phase, PhaseConfig, PhaseInput, PhaseStatus } from "@gathercue/client"

export interface PhaseDraft {
  /** Id of a stored phase. */
  readonly key: string
  readonly modality: Modality
  readonly featureSet: ReadonlyArray<Feature>
  readonly config: PhaseConfig
  readonly status: PhaseStatus
}

export const MODALITY_CHOICES: ReadonlyArray<Modality> = ["broadcast", "meeting", "breakout", "rotation"]
export const FEATURES: ReadonlyArray<Feature> = ["qa", "chat", "polls", "reactions", "transcript", "capture"]

/** Paths of a phase's values that have number fields. */
export const PHASE_FIELDS = [
  "config.durationSeconds",
  "config.roomSize",
  "config.rounds",
  "config.roundSeconds",
] as const

export const draftOf = ({ id, modality, featureSet, config, status }: Phase): PhaseDraft => ({
  key: id,
  modality,
  featureSet,
  config,
  status,
})

export const inputOf = ({ modality, featureSet, config }: PhaseDraft): PhaseInput => ({ modality, featureSet, config })

let drafts = 0

export const newDraft = (modality: Modality): PhaseDraft => ({
  key: `new-${drafts++}`,
  modality,
  featureSet: ["qa", "chat", "polls", "reactions"],
  config: {},
  status: "pending",
})

/** The config with a value, or without it, so that the server's default applies. */
export const withValue = (config: PhaseConfig, name: string, value: PhaseConfig[string] | undefined): PhaseConfig => {
  const { [name]: _before, ...others } = config
  return value === undefined ? others : { ...others, [name]: value }
}

/** Whether two drafts are equal. */
export const isSame = (a: PhaseDraft, b: PhaseDraft): boolean =>
  JSON.stringify([a.modality, a.featureSet, a.config]) === JSON.stringify([b.modality, b.featureSet, b.config])

/** The list with an item moved to another position. */
export const moved = <A>(items: ReadonlyArray<A>, from: number, to: number): ReadonlyArray<A> => {
  const item = items[from]
  if (item === undefined) return items
  const others = items.filter((_, index) => index !== from)
  return [...others.slice(0, to), item, ...others.slice(to)]
}
