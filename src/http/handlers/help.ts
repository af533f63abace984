/** The help chat, of which nothing is stored. */
import { Effect } from "effect"
import { HelpDesk } from "../../help/help-desk.ts"
import type { Help } from "../contract/help.ts"
import type { Handlers } from "../requests/call.ts"

export const help = {
  askHelp: {
    access: "public",
    handle: ({ payload }) =>
      Effect.map(
        Effect.flatMap(HelpDesk, (desk) => desk.answer(payload)),
        (reply) => ({ reply }),
      ),
  },
} satisfies Handlers<typeof Help>
