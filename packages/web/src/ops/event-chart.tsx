/** Chart of a live event: its states, what it waits for, and its last transition. */
import { inspectEvent } from "../api/platform.ts"
import { useLoaded } from "../api/use-loaded.ts"
import { useConsoleTexts, useFormats } from "../texts/language.tsx"
import { whyFailed } from "../texts/words.ts"
import { Button } from "../ui/button.tsx"
import { Dialog } from "../ui/dialog.tsx"
import { ProblemNotice } from "../ui/notice.tsx"
import { Table } from "./table.tsx"

interface Props {
  readonly event: { readonly id: string; readonly title: string }
  readonly platformKey: string
  readonly onClose: () => void
}

export const EventChart = ({ event, platformKey, onClose }: Props) => {
  const texts = useConsoleTexts()
  const { ops } = texts
  const { moment } = useFormats()
  const { value, error, reload } = useLoaded(`chart ${event.id}`, (signal) =>
    inspectEvent(platformKey, event.id, signal),
  )
  return (
    <Dialog title={event.title} isOpen onClose={onClose}>
      <div className="stack">
        <ProblemNotice>{whyFailed(texts, error)}</ProblemNotice>
        {value === undefined ? (
          <p role="status">{texts.loading}</p>
        ) : (
          <>
            <p className="quiet">{ops.ownedBy(value.node, moment(value.ownedSince))}</p>
            <Table
              title={ops.states}
              empty={ops.none}
              heads={[ops.state]}
              rows={[
                ...value.states,
                ...value.polls.flatMap(({ id, states }) => states.map((one) => `poll ${id} ${one}`)),
              ].map((state) => ({ key: state, cells: [state] }))}
            />
            <Table
              title={ops.waitsFor}
              empty={ops.waitsForNothing}
              heads={[ops.delay, ops.at]}
              rows={value.deadlines.map(({ name, about, at }) => ({
                key: `${name} ${about}`,
                cells: [about === null ? name : `${name} ${about}`, at],
              }))}
            />
            <Table
              title={ops.transitions}
              empty={ops.noTransitions}
              heads={[ops.at, ops.cause, ops.entered]}
              rows={value.transitions.toReversed().map(({ at, event: cause, entered }, index) => ({
                key: `${at} ${cause} ${index}`,
                cells: [at, cause, entered.join(", ")],
              }))}
            />
          </>
        )}
        <div className="row">
          <Button onPress={reload}>{ops.again}</Button>
          <Button onPress={onClose}>{texts.close}</Button>
        </div>
      </div>
    </Dialog>
  )
}
