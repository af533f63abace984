/** What handlers need to know of the installation. */
import { Context } from "effect"

export class HttpSettings extends Context.Service<
  HttpSettings,
  {
    /** Base address that clients use, without a trailing slash. */
    readonly publicUrl: string
    /** A page under the name by which a request reached us counts as ours. Never in production: a request says any name. */
    readonly trustsHost: boolean
    /** Where links in letters lead, without a trailing slash; by default this server's own pages. */
    readonly appUrl: string
    /**
     * Links that are mailed stand in the answers too. Never in production: a reset link that anybody may ask for would open
     * every account of a server that has no mail.
     */
    readonly emailDevMode: boolean
    /** Without a mail server, whoever may manage a thing is told its links instead. */
    readonly sendsMail: boolean
    /** Letters to others are sent only for who has proved an address. */
    readonly provedSendersOnly: boolean
    /** Letters that a workspace may have sent to addresses it chose, in a day (UTC). */
    readonly mailPerWorkspacePerDay: number
    /** Capacity of an event that names none. */
    readonly defaultCapacity: number
  }
>()("gathercue/HttpSettings") {}
