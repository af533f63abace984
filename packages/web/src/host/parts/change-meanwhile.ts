/** Current state of an object that another host changed after the revision named by a command. */
import { CommandRefused, type PhaseView, type PollView, type QuestionView, type RotationView } from "@gathercue/client"
import type { ConsoleTexts } from "../../texts/console/en.ts"

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null

/** The contract names the content of `current`: the entity under its kind. */
const stateOf = ({ host, live }: ConsoleTexts, current: { readonly [key: string]: unknown }): string | undefined => {
  const { phase, question, poll, rotation, timer, breakout } = current
  if (isObject(phase)) {
    return host.now.phase(live.modality[(phase as unknown as PhaseView).modality])
  }
  if (isObject(question)) {
    const { text, status, pinned } = question as unknown as QuestionView
    return host.now.question(
      text,
      pinned ? `${host.questionStatus[status]}, ${host.pinned}` : host.questionStatus[status],
    )
  }
  if (isObject(poll)) {
    const { question: asked, status } = poll as unknown as PollView
    return host.now.poll(asked, host.pollStatus[status])
  }
  if (isObject(rotation)) return host.now.rotation(host.rotationStatus[(rotation as unknown as RotationView).status])
  if (isObject(timer)) return host.now.timer
  return isObject(breakout) ? host.now.breakout : undefined
}

/** Null unless a revision was stale. */
export const changeMeanwhile = (texts: ConsoleTexts, failure: unknown): string | null => {
  if (!(failure instanceof CommandRefused)) return null
  const { code, current } = failure.refusal
  if (code !== "conflict" || current === undefined) return null
  return texts.host.changedMeanwhile(stateOf(texts, current) ?? failure.refusal.message)
}
