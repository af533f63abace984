/** Preview of a breakout plan, which can be changed before it is opened: people are seated exactly as it says. */
import type { BreakoutPlanView, PhaseView } from "@gathercue/client"
import { useCommand } from "@gathercue/client/react"
import { useState } from "react"
import { Form } from "react-aria-components"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { Choice } from "../../ui/choice.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { NumberField } from "../parts/number-field.tsx"
import { type ClientProps, useCan } from "./live-props.ts"
import { type Board, RoomBoards } from "./room-boards.tsx"
import { useNames } from "./use-names.ts"

type Strategy = BreakoutPlanView["strategy"]
type Late = "leastLoaded" | "ask" | "main"

const STRATEGIES: ReadonlyArray<Strategy> = ["balanced", "self", "manual"]
const LATE: ReadonlyArray<Late> = ["leastLoaded", "ask", "main"]
const UNPLACED = "unplaced"
const MINUTE_MS = 60_000
const NOBODY: ReadonlyArray<string> = []

const idsOf = ({ rooms, unplaced }: BreakoutPlanView): ReadonlyArray<string> => [
  ...rooms.flatMap(({ people }) => people),
  ...unplaced,
]

/** The plan with one person moved. */
const pinnedOf = (plan: BreakoutPlanView, personId: string, room: number | undefined) => {
  const seats = plan.rooms.flatMap(({ people }, index) => people.map((id) => [id, index] as const))
  const others = seats.filter(([id]) => id !== personId)
  return Object.fromEntries(room === undefined ? others : [...others, [personId, room] as const])
}

const Opening = ({ client, plan }: ClientProps & { readonly plan: BreakoutPlanView }) => {
  const { host } = useConsoleTexts()
  const mayOpen = useCan(client, "breakout.open")
  const [minutes, last] = useState<number | undefined>(undefined)
  const [late, choose] = useState<Late>("leastLoaded")
  const { send, isPending, error } = useCommand(client)
  if (!mayOpen) return <p>{host.openInBreakout}</p>
  const open = () =>
    void send("breakout.open", {
      planId: plan.id,
      late,
      ...(minutes === undefined ? {} : { durationMs: minutes * MINUTE_MS }),
    })
  return (
    <>
      <div className="split">
        <NumberField
          label={host.minutes}
          hint={host.untilClosed}
          minimum={1}
          maximum={1440}
          value={minutes}
          onChange={last}
        />
        <Choice
          label={host.late}
          options={LATE.map((one) => [one, host.lateRule[one]] as const)}
          value={late}
          onChange={choose}
        />
      </div>
      <FailureNotice error={error} />
      <div className="row">
        <Button look="main" isPending={isPending} onPress={open}>
          {host.openRooms}
        </Button>
      </div>
    </>
  )
}

export const BreakoutPlanForm = ({ client, phase }: ClientProps & { readonly phase: PhaseView }) => {
  const { host } = useConsoleTexts()
  const [rooms, count] = useState<number | undefined>(phase.config.roomSize === undefined ? 2 : undefined)
  const [size, fill] = useState<number | undefined>(phase.config.roomSize)
  const [strategy, choose] = useState<Strategy>("balanced")
  const [plan, look] = useState<BreakoutPlanView | undefined>(undefined)
  const { send, isPending, error } = useCommand(client)
  const make = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    const answer = await send("breakout.plan", { strategy, ...(rooms === undefined ? { size: size ?? 2 } : { rooms }) })
    if (answer !== undefined) look(answer.d.plan)
  }
  const move = async (personId: string, boardId: string) => {
    if (plan === undefined) return
    const answer = await send("breakout.plan", {
      strategy: "manual",
      rooms: plan.rooms.map(({ name }) => name),
      pinned: pinnedOf(plan, personId, boardId === UNPLACED ? undefined : Number(boardId)),
    })
    if (answer !== undefined) look(answer.d.plan)
  }
  const nameOf = useNames(client, plan === undefined ? NOBODY : idsOf(plan))
  const named = (id: string) => ({ id, name: nameOf(id) })
  const boards: ReadonlyArray<Board> =
    plan === undefined
      ? []
      : [
          ...plan.rooms.map(({ name, people }, index) => ({ id: String(index), name, people: people.map(named) })),
          { id: UNPLACED, name: host.unplaced, people: plan.unplaced.map(named) },
        ]
  return (
    <section className="stack" aria-label={host.breakouts}>
      <h2>{host.breakouts}</h2>
      <Form className="stack" onSubmit={(submitted) => void make(submitted)}>
        <div className="split">
          <NumberField
            label={host.numberOfRooms}
            hint={host.numberOfRoomsHint}
            minimum={1}
            maximum={500}
            value={rooms}
            onChange={count}
          />
          <NumberField label={host.roomSize} minimum={1} maximum={1000} value={size} onChange={fill} />
          <Choice
            label={host.strategy}
            options={STRATEGIES.map((one) => [one, host.strategies[one]] as const)}
            value={strategy}
            onChange={choose}
          />
        </div>
        <div className="row">
          <Button type="submit" isPending={isPending}>
            {host.makePlan}
          </Button>
        </div>
      </Form>
      <FailureNotice error={error} />
      {plan === undefined ? null : (
        <>
          <div role="status">
            <ul>
              {plan.notes.map(({ code, text }) => (
                <li key={`${code} ${text}`}>{text}</li>
              ))}
            </ul>
          </div>
          <RoomBoards boards={boards} onMove={(person, board) => void move(person, board)} />
          <Opening key={plan.id} client={client} plan={plan} />
        </>
      )}
    </section>
  )
}
