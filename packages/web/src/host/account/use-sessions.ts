/** Sessions of the account, and ending them. */
import { RestProblem } from "@gathercue/client"
import { rest } from "../../api/rest.ts"
import { type Loaded, useLoaded } from "../../api/use-loaded.ts"

export type SignInSession = Awaited<ReturnType<typeof rest.listSessions>>["sessions"][number]

export const useSessions = (): Loaded<ReadonlyArray<SignInSession>> =>
  useLoaded("sessions", async (signal) => (await rest.listSessions({}, { signal })).sessions)

/** A session that has ended meanwhile counts as success. */
export const endSession = async (sessionId: string): Promise<void> => {
  try {
    await rest.endSession({ params: { sessionId } })
  } catch (failure) {
    if (!(failure instanceof RestProblem) || failure.status !== 404) throw failure
  }
}

/** Ends all sessions but that of this browser, including those begun since the page was loaded. */
export const endOtherSessions = async (): Promise<void> => {
  const { sessions } = await rest.listSessions()
  for (const { id, current } of sessions) if (!current) await endSession(id)
}
