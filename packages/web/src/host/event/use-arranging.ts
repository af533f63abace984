/** Reorders and removes phases of a stored agenda until the event starts. */
import { type EventWithPhases, RestProblem } from "@gathercue/client"
import { useRef, useState } from "react"
import { rest } from "../../api/rest.ts"
import type { ConsoleTexts } from "../../texts/console/en.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { whyFailed } from "../../texts/words.ts"
import type { EventProps } from "./event-page.tsx"

const hasNotBegun = ({ status }: EventWithPhases): boolean => status === "draft" || status === "scheduled"

/** `now` is the event after the refusal, if it could be read. */
const whyRefused = (texts: ConsoleTexts, error: unknown, now: EventWithPhases | undefined): string | null => {
  const { host } = texts
  if (!(error instanceof RestProblem) || now === undefined) return whyFailed(texts, error)
  if (!hasNotBegun(now)) return host.agendaStarted
  // The named phases are no longer those of the event.
  if (error.status === 400 || error.status === 404) return host.agendaChanged
  return error.code === "conflict" ? host.phaseRecorded : whyFailed(texts, error)
}

interface Arranging {
  /** Absent once the event has begun. */
  readonly order: ((phaseIds: ReadonlyArray<string>) => void) | undefined
  /** Resolves to whether the phase was removed. */
  readonly remove: (phaseId: string) => Promise<boolean>
  readonly isPending: boolean
  /** Reason why the last change was refused; the page then shows the server's agenda. */
  readonly problem: string | null
}

export const useArranging = ({ event, onChange }: Pick<EventProps, "event" | "onChange">): Arranging => {
  const texts = useConsoleTexts()
  const { id } = event
  const [open, count] = useState(0)
  const [problem, say] = useState<string | null>(null)
  const sent = useRef(0)
  const before = useRef<Promise<unknown>>(Promise.resolve())

  /** Serialised, so that the page's last change is the last one at the server. Resolves to whether it was accepted. */
  const send = async (change: () => Promise<EventWithPhases>): Promise<boolean> => {
    const number = ++sent.current
    const isLast = () => number === sent.current
    count((now) => now + 1)
    say(null)
    const answer = before.current.then(change)
    before.current = answer.catch(() => undefined)
    try {
      const stored = await answer
      if (isLast()) onChange(stored)
      return true
    } catch (error) {
      const now = await rest.getEvent({ params: { id } }).catch(() => undefined)
      if (isLast()) onChange(now ?? event)
      say(whyRefused(texts, error, now))
      return false
    } finally {
      count((now) => now - 1)
    }
  }

  const order = (phaseIds: ReadonlyArray<string>): void => {
    const places = new Map(phaseIds.map((phaseId, place) => [phaseId, place]))
    onChange({
      ...event,
      phases: event.phases.toSorted((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0)),
    })
    void send(() => rest.orderPhases({ params: { id }, payload: { phaseIds } }))
  }
  const remove = (phaseId: string) =>
    send(async () => {
      await rest.deletePhase({ params: { id: phaseId } })
      return rest.getEvent({ params: { id } })
    })
  return { order: hasNotBegun(event) ? order : undefined, remove, isPending: open > 0, problem }
}
