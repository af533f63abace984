/** The token of the address that the page was opened with. It is taken before the first render, because the address must not keep it. */
import { takeEntryToken } from "./event-session.ts"

export const entryToken = takeEntryToken()
