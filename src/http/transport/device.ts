/** The program of a caller, as it names itself. */
import type { HttpRequest } from "./message.ts"

const LONGEST = 300

/** `user-agent` without what is not printable ASCII (RFC 9110 §10.1.5); null where there is nothing of it. */
export const deviceOf = ({ headers }: Pick<HttpRequest, "headers">): string | null =>
  headers["user-agent"]
    ?.replaceAll(/[^ -~]/g, "")
    .trim()
    .slice(0, LONGEST) || null
