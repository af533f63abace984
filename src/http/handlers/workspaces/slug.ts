/** A workspace's public handle, made from its name when none was given. */
import { randomBytes } from "node:crypto"
import { slugOf } from "../../../model/text/compared.ts"
import type { Queryable } from "../../../store/database.ts"
import { isSlugTaken } from "../../../store/workspaces/workspaces.ts"
import { isReservedSlug } from "../../contract/workspaces/workspaces.ts"

/** Of two callers that take the same free slug at the same moment, the later one looks again and finds it taken. */
export const RETRY_SLUG = { while: (failure: { readonly _tag: string }) => failure._tag === "SlugTaken", times: 3 }

/** The name's slug, with a suffix when it is taken, reserved or too short. The suffix is random: it need not be probed for. */
export const freeSlug = async (sql: Queryable, name: string): Promise<string> => {
  const slug = slugOf(name)
  if (slug.length >= 3 && !isReservedSlug(slug) && !(await isSlugTaken(sql, slug))) return slug
  return `${slug === "" ? "workspace" : slug}-${randomBytes(3).toString("hex")}`
}
