/** Sessions of the account: ends one of them, all others, or all. */
import Bowser from "bowser"
import { useAction } from "../../api/use-action.ts"
import type { Loaded } from "../../api/use-loaded.ts"
import { useConsoleTexts, useFormats } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { ConfirmButton } from "../parts/confirm-button.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { useAccount } from "./account-context.tsx"
import { endOtherSessions, endSession, type SignInSession } from "./use-sessions.ts"

/** Device name such as "Firefox, Windows". */
const nameOf = (device: string | null, unknown: string): string => {
  if (device === null) return unknown
  const { browser, os } = Bowser.parse(device)
  return [browser.name, os.name].filter(Boolean).join(", ") || unknown
}

const SessionRow = ({
  session: { id, device, current, createdAt, lastSeenAt },
  onEnd,
}: {
  readonly session: SignInSession
  readonly onEnd: () => void
}) => {
  const { host } = useConsoleTexts()
  const { moment } = useFormats()
  const { run, isPending, error } = useAction(() => endSession(id).then(onEnd))
  return (
    <li className="stack">
      <div className="row row-apart">
        <span>
          {nameOf(device, host.account.unknownDevice)}, {host.account.since(moment(createdAt))}{" "}
          <span className="quiet">{host.lastUsed(moment(lastSeenAt))}</span>
        </span>
        {current ? (
          <span className="badge">{host.account.thisOne}</span>
        ) : (
          <Button
            isPending={isPending}
            aria-label={`${host.account.endSession}: ${host.account.since(moment(createdAt))}`}
            onPress={() => void run()}
          >
            {host.account.endSession}
          </Button>
        )}
      </div>
      <FailureNotice error={error} />
    </li>
  )
}

export const SessionsPart = ({ sessions }: { readonly sessions: Loaded<ReadonlyArray<SignInSession>> }) => {
  const texts = useConsoleTexts()
  const { host } = texts
  const { signOut } = useAccount()
  const { value, isLoading, error, reload } = sessions
  const others = useAction(() => endOtherSessions().finally(reload))
  const all = useAction(async () => {
    await endOtherSessions()
    await signOut()
    return true
  })
  return (
    <section className="stack" aria-label={host.account.sessions}>
      <h2>{host.account.sessions}</h2>
      {value === undefined && isLoading ? <p role="status">{texts.loading}</p> : null}
      <FailureNotice error={error ?? others.error} />
      {error === null ? null : (
        <div className="row">
          <Button onPress={reload}>{texts.retry}</Button>
        </div>
      )}
      <ul className="rows" aria-label={host.account.sessions}>
        {(value ?? []).map((session) => (
          <SessionRow key={session.id} session={session} onEnd={reload} />
        ))}
      </ul>
      <div className="row">
        {(value ?? []).some(({ current }) => !current) ? (
          <Button isPending={others.isPending} onPress={() => void others.run()}>
            {host.account.endOthers}
          </Button>
        ) : null}
        <ConfirmButton
          label={host.account.signOutEverywhere}
          question={host.account.signOutEverywhereQuestion}
          isPending={all.isPending}
          error={all.error}
          onConfirm={all.run}
        />
      </div>
    </section>
  )
}
