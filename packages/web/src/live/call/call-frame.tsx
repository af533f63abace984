/** The panel of a call: the way in, and in the call its problem, its progress, the people and the buttons. */
import type { GatewayClient } from "@gathercue/client"
import { type ReactNode, useEffect, useState, useSyncExternalStore } from "react"
import { useTexts } from "../../texts/language.tsx"
import { ProblemNotice } from "../../ui/notice.tsx"
import { CallControls, CallPanel, CallProgress } from "./call-controls.tsx"
import type { CallSession, CallView } from "./call-session.ts"
import { JoinCall } from "./join-call.tsx"

export interface CallProps {
  readonly client: GatewayClient
  readonly isSeated: boolean
}

interface CallFrameProps<People> extends CallProps {
  readonly sessionOf: (client: GatewayClient) => CallSession<People>
  /** Shows those in the call. */
  readonly children: (view: CallView<People>, session: CallSession<People>) => ReactNode
}

export const CallFrame = <People,>({ client, isSeated, sessionOf, children }: CallFrameProps<People>) => {
  const { live } = useTexts()
  const [session] = useState(() => sessionOf(client))
  const view = useSyncExternalStore(session.subscribe, session.read)
  useEffect(() => () => session.leave(), [session])
  const problem = view.problem === null ? null : live.callProblems[view.problem]
  if (view.state === "off" && !isSeated) return null
  return (
    <CallPanel>
      {view.state === "off" ? (
        <JoinCall session={session} view={view} problem={problem} />
      ) : (
        <>
          <ProblemNotice>{problem}</ProblemNotice>
          <CallProgress session={session} view={view} />
          {children(view, session)}
          <CallControls session={session} view={view} />
        </>
      )}
    </CallPanel>
  )
}
