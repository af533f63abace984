/** A phase as it is edited, before or after it is stored. */
import type { Feature, Modality, Phase, PhaseConfig, PhaseInput, PhaseStatus } from "@gathercue/client"

export interface PhaseDraft {
  /** The phase's id once it is stored. */
  readonly key: string
  readonly modality: Modality
  readonly featureSet: ReadonlyArray<Feature>
  readonly config: PhaseConfig
  readonly status: PhaseStatus
}

export const MODALITIES: ReadonlyArray<Modality> = ["broadcast", "meeting", "breakout", "rotation"]
export const FEATURES: ReadonlyArray<Feature> = ["qa", "chat", "polls", "reactions", "transcript", "capture"]

/** The paths of the values in a phase that have fields in which numbers are typed. */
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

/** The config with a value, or without it: the server's default holds then. */
export const withValue = (config: PhaseConfig, name: string, value: PhaseConfig[string] | undefined): PhaseConfig => {
  const { [name]: _before, ...others } = config
  return value === undefined ? others : { ...others, [name]: value }
}

/** Whether two drafts say the same. */
export const isSame = (a: PhaseDraft, b: PhaseDraft): boolean =>
  JSON.stringify([a.modality, a.featureSet, a.config]) === JSON.stringify([b.modality, b.featureSet, b.config])

/** The list with an item at another place. */
export const moved = <A>(items: ReadonlyArray<A>, from: number, to: number): ReadonlyArray<A> => {
  const item = items[from]
  if (item === undefined) return items
  const others = items.filter((_, index) => index !== from)
  return [...others.slice(0, to), item, ...others.slice(to)]
}
