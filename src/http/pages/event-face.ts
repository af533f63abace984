/** How a page of an event looks and speaks: its branding, its language and its title. */
import { Effect } from "effect"
import type { Event } from "../../model/event.ts"
import { worn } from "../../model/presentation.ts"
import { Database } from "../../store/database.ts"
import { findWorkspaceFace } from "../../store/workspaces/workspaces.ts"
import type { HttpRequest } from "../transport/message.ts"
import { html } from "./page.ts"
import { speaking } from "./words.ts"

export const faceFor = (request: HttpRequest, event: Event) =>
  Effect.gen(function* () {
    const read = (yield* Database).run((sql) => findWorkspaceFace(sql, event.workspaceId))
    // The page often tells of an act that is done already: it must not fail for want of a logo.
    const workspace = yield* Effect.catch(read, () => Effect.succeed({ name: "", branding: null }))
    return {
      ...speaking(request, event.language),
      title: html`<strong>${event.title}</strong>`,
      brand: { name: workspace.name, branding: worn(event, workspace.branding) },
    }
  })
