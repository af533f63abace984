/** Rounds in pairs or small groups: starting, skipping, pausing, ending. */
import type { PhaseView, RotationView } from "@gathercue/client"
import { useCommand, useCountdown, useEvent } from "@gathercue/client/react"
import { useState } from "react"
import { Form } from "react-aria-components"
import { useConsoleTexts } from "../../texts/language.tsx"
import { clockOf } from "../../texts/words.ts"
import { Button } from "../../ui/button.tsx"
import { Choice } from "../../ui/choice.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { NumberField } from "../parts/number-field.tsx"
import { type ClientProps, useCan } from "./live-props.ts"

const DEFAULT_ROUND_SECONDS = 180
type Odd = RotationView["odd"]

const Start = ({ client, phase }: ClientProps & { readonly phase: PhaseView }) => {
  const { host } = useConsoleTexts()
  const { config } = phase
  const [roundSeconds, last] = useState<number | undefined>(config.roundSeconds ?? DEFAULT_ROUND_SECONDS)
  const [breakSeconds, rest] = useState<number | undefined>(15)
  const [rounds, count] = useState<number | undefined>(config.rounds)
  const [groupSize, group] = useState<number | undefined>(2)
  const [odd, choose] = useState<Odd>("bye")
  const { send, isPending, error } = useCommand(client)
  const submit = (submitted: React.FormEvent) => {
    submitted.preventDefault()
    void send("rotation.start", {
      roundSeconds: roundSeconds ?? DEFAULT_ROUND_SECONDS,
      breakSeconds: breakSeconds ?? 0,
      rounds: rounds ?? "exhaust",
      groupSize: groupSize ?? 2,
      odd,
    })
  }
  return (
    <Form className="stack" onSubmit={submit}>
      <div className="split">
        <NumberField label={host.roundSeconds} minimum={5} maximum={86_400} value={roundSeconds} onChange={last} />
        <NumberField label={host.breakSeconds} minimum={0} maximum={3600} value={breakSeconds} onChange={rest} />
        <NumberField
          label={host.rounds}
          hint={host.untilAllMet}
          minimum={1}
          maximum={1000}
          value={rounds}
          onChange={count}
        />
        <NumberField label={host.groupSize} minimum={2} maximum={20} value={groupSize} onChange={group} />
        <Choice
          label={host.oddOne}
          options={[
            ["bye", host.oddRule.bye],
            ["trio", host.oddRule.trio],
          ]}
          value={odd}
          onChange={choose}
        />
      </div>
      <FailureNotice error={error} />
      <div className="row">
        <Button type="submit" look="main" isPending={isPending}>
          {host.startRotation}
        </Button>
      </div>
    </Form>
  )
}

const Running = ({ client, rotation }: ClientProps & { readonly rotation: RotationView }) => {
  const { host, live } = useConsoleTexts()
  const { rev, status, n, rounds } = rotation
  const timer = useEvent(client, ({ timers }) => timers.find(({ ref }) => ref === rotation.id))
  const seconds = useCountdown(client, timer)
  const { send, isPending, error } = useCommand(client)
  return (
    <>
      <p role="status">
        {host.rotationStatus[status]} {host.round(n, rounds === "exhaust" ? null : rounds)},{" "}
        {host.pairs(rotation.pairs, rotation.byes)}
      </p>
      {seconds === null ? null : <p role="timer">{live.left(clockOf(seconds))}</p>}
      <div className="row">
        <Button isPending={isPending} onPress={() => void send("rotation.skip", {}, { rev })}>
          {host.skipRound}
        </Button>
        {status === "paused" ? (
          <Button isPending={isPending} onPress={() => void send("rotation.resume", {}, { rev })}>
            {host.resume}
          </Button>
        ) : (
          <Button isPending={isPending} onPress={() => void send("rotation.pause", {}, { rev })}>
            {host.pause}
          </Button>
        )}
        <Button look="danger" isPending={isPending} onPress={() => void send("rotation.stop", {}, { rev })}>
          {host.stopRotation}
        </Button>
      </div>
      <FailureNotice error={error} />
    </>
  )
}

export const RotationControls = ({ client, phase }: ClientProps & { readonly phase: PhaseView }) => {
  const { live } = useConsoleTexts()
  const rotation = useEvent(client, ({ rooms }) => rooms.rotation) ?? null
  const mayStart = useCan(client, "rotation.start")
  const isOn = rotation !== null && rotation.status !== "ended" && rotation.phaseId === phase.id
  return (
    <section className="stack" aria-label={live.modality.rotation}>
      <h2>{live.modality.rotation}</h2>
      {isOn ? <Running client={client} rotation={rotation} /> : null}
      {!isOn && mayStart ? <Start client={client} phase={phase} /> : null}
    </section>
  )
}
