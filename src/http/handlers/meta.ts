/** Endpoints that describe the API. */
import { Effect } from "effect"
import type { Handlers } from "../call.ts"
import type { Meta } from "../contract/meta.ts"
import { PROBLEMS } from "../contract/problem.ts"

export const meta: Handlers<typeof Meta> = {
  getProblem: {
    access: "public",
    handle: ({ params: { code } }) => Effect.succeed({ code, ...PROBLEMS[code] }),
  },
}
