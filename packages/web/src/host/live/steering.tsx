/** Controls the agenda of the live event: its start, the next phase, the timer, and its end. */
import { activePhase } from "@gathercue/client"
import { useCommand, useCountdown, useEvent } from "@gathercue/client/react"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { clockOf } from "../../texts/words.ts"
import { Button } from "../../ui/button.tsx"
import { useActs } from "../palette/acts.tsx"
import { ConfirmButton } from "../parts/confirm-button.tsx"
import { EventStatus } from "../parts/event-status.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { type ClientProps, type LiveProps, useCan } from "./live-props.ts"

const MINUTE_SECONDS = 60

const Timer = ({ client }: ClientProps) => {
  const { host, live } = useConsoleTexts()
  const timer = useEvent(client, ({ timers }) => timers.find(({ scope }) => scope === "phase"))
  const seconds = useCountdown(client, timer)
  const { send, isPending, error } = useCommand(client)
  const extend = () =>
    void (timer && send("timer.extend", { timerId: timer.id, seconds: MINUTE_SECONDS }, { rev: timer.rev }))
  useActs(timer === undefined ? [] : [{ id: "extend", label: host.oneMinuteMore, run: extend }])
  if (timer === undefined) return null
  return (
    <>
      <div className="steering-row">
        <span role="timer" className="steering-clock">
          {seconds === null ? "" : live.left(clockOf(seconds))}
        </span>
        <Button isPending={isPending} onPress={extend}>
          {host.oneMinuteMore}
        </Button>
      </div>
      <FailureNotice error={error} />
    </>
  )
}

const Begin = ({ event }: Pick<LiveProps, "event">) => {
  const { host } = useConsoleTexts()
  const { run, isPending, error } = useAction(() => rest.startEvent({ params: { id: event.id } }))
  return (
    <>
      <Button look="main" isPending={isPending} onPress={() => void run()}>
        {host.goLive}
      </Button>
      <FailureNotice error={error} />
    </>
  )
}

/** Starts the phase after the one that this host sees: of two hosts who press at once, one is refused. */
const Next = ({ client }: ClientProps) => {
  const { host, live } = useConsoleTexts()
  const phases = useEvent(client, (state) => state.phases) ?? []
  const phase = useEvent(client, activePhase)
  const { send, isPending, error } = useCommand(client)
  const ending = useCommand(client)
  const next = phases.find(({ status }) => status === "pending")
  const step =
    phase === undefined || next === undefined
      ? undefined
      : {
          id: "next",
          label: host.goOnTo(live.modality[next.modality]),
          run: () => void send("phase.next", { phaseId: phase.id }, { rev: phase.rev }),
        }
  useActs(step === undefined ? [] : [step])
  return (
    <>
      {step === undefined ? null : (
        <Button look="main" isPending={isPending} onPress={step.run}>
          {step.label}
        </Button>
      )}
      <ConfirmButton
        label={host.endEvent}
        question={host.endEventQuestion}
        isPending={ending.isPending}
        error={ending.error}
        onConfirm={async () => (await ending.send("event.end", {})) !== undefined}
      />
      <FailureNotice error={error} />
    </>
  )
}

export const Steering = ({ client, event }: LiveProps) => {
  const { host, live } = useConsoleTexts()
  const status = useEvent(client, (state) => state.event.status)
  const phase = useEvent(client, activePhase)
  const phases = useEvent(client, (state) => state.phases) ?? []
  const maySteer = useCan(client, "phase.next")
  if (status === undefined) return null
  return (
    <section className="panel stack steering" aria-label={host.steering}>
      <p role="status">
        <EventStatus status={status} />{" "}
        {phase === undefined
          ? ""
          : host.phaseOf(phases.indexOf(phase) + 1, phases.length, live.modality[phase.modality])}
      </p>
      {status === "live" ? <Timer client={client} /> : null}
      {status === "scheduled" ? <Begin event={event} /> : null}
      {status === "live" && maySteer ? <Next client={client} /> : null}
      {phases.length < 2 ? null : (
        <ol className="run">
          {phases.map(({ id, modality }, n) => (
            <li key={id} {...(id === phase?.id ? { "aria-current": "step" as const } : {})}>
              <span>{n + 1}</span> {live.modality[modality]}
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}
