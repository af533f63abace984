/** Public handle of a workspace, derived from its name when none is given. */
import { randomBytes } from "node:crypto"
import { slugOf } from "../../../model/text/compared.ts"
import type { Queryable } from "../../../store/database.ts"
import { isSlugTaken } from "../../../store/workspaces/workspaces.ts"
import { isReservedSlug } from "../../contract/workspaces/workspaces.ts"

/** A caller that loses a race for the same free slug retries and finds it taken. */
export const RETRY_SLUG = { while: (failure: { readonly _tag: string }) => failure._tag === "SlugTaken", times: 3 }

/** Slug of the name, with a random suffix when it is taken, reserved or too short. A random suffix needs no probing. */
export const freeSlug = async (sql: Queryable, name: string): Promise<string> => {
  const slug = slugOf(name)
  if (slug.length >= 3 && !isReservedSlug(slug) && !(await isSlugTaken(sql, slug))) return slug
  return `${slug === "" ? "workspace" : slug}-${randomBytes(3).toString("hex")}`
}
