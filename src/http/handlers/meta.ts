/** Endpoints that describe the API. */
import { Effect } from "effect"
import type { Meta } from "../contract/meta.ts"
import { PROBLEMS } from "../contract/problem.ts"
import type { Handlers } from "../requests/call.ts"

export const meta = {
  getProblem: {
    access: "public",
    handle: ({ params: { code } }) => Effect.succeed({ code, ...PROBLEMS[code] }),
  },
} satisfies Handlers<typeof Meta>
