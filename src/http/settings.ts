/** What handlers need to know of the installation. */
import { Context } from "effect"

export class HttpSettings extends Context.Service<
  HttpSettings,
  {
    /** Base address that clients use, without a trailing slash. */
    readonly publicUrl: string
    /** Where links in letters lead, without a trailing slash; by default this server's own pages. */
    readonly appUrl: string
    /** Links that would be mailed stand in the answers too. */
    readonly emailDevMode: boolean
    /** Capacity of an event that names none. */
    readonly defaultCapacity: number
  }
>()("gathercue/HttpSettings") {}
