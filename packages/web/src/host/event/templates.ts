/** Agendas to begin with. Templates of a workspace are events (`template-button.tsx`). */
import type { Feature, Modality, PhaseConfig } from "@gathercue/client"
import { newDraft, type PhaseDraft } from "./phase-draft.ts"

export const TEMPLATE_NAMES = ["webinar", "meeting", "workshop", "networking", "townHall"] as const
export type TemplateName = (typeof TEMPLATE_NAMES)[number]
export const isTemplateName = (name: string): name is TemplateName => TEMPLATE_NAMES.some((one) => one === name)

interface Section {
  readonly modality: Modality
  readonly minutes: number
  readonly featureSet?: ReadonlyArray<Feature>
  readonly config?: PhaseConfig
}

const TALK: ReadonlyArray<Feature> = ["chat", "polls", "reactions"]

const TEMPLATES: { readonly [name in TemplateName]: ReadonlyArray<Section> } = {
  webinar: [
    { modality: "broadcast", minutes: 40, featureSet: ["qa", "chat", "polls", "reactions", "transcript"] },
    { modality: "broadcast", minutes: 20, featureSet: ["qa", "chat", "reactions", "transcript"] },
  ],
  meeting: [{ modality: "meeting", minutes: 60 }],
  workshop: [
    { modality: "meeting", minutes: 15, featureSet: TALK },
    { modality: "breakout", minutes: 30, featureSet: ["chat"], config: { roomSize: 4 } },
    { modality: "meeting", minutes: 15 },
  ],
  networking: [
    { modality: "meeting", minutes: 5, featureSet: TALK },
    { modality: "rotation", minutes: 40, featureSet: ["chat"], config: { rounds: 8, roundSeconds: 240 } },
    { modality: "meeting", minutes: 15, featureSet: TALK },
  ],
  // Questions of a large audience wait for a moderator.
  townHall: [
    { modality: "broadcast", minutes: 30, featureSet: ["qa", "reactions", "transcript"], config: { moderated: true } },
    { modality: "broadcast", minutes: 30, featureSet: ["qa", "polls", "reactions"], config: { moderated: true } },
  ],
}

export const agendaOf = (name: TemplateName): ReadonlyArray<PhaseDraft> =>
  TEMPLATES[name].map(({ modality, minutes, featureSet, config }) => {
    const draft = newDraft(modality)
    return {
      ...draft,
      featureSet: featureSet ?? draft.featureSet,
      config: { durationSeconds: minutes * 60, ...config },
    }
  })
