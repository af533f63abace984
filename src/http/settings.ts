/** What handlers need to know of the installation. */
import { Context } from "effect"

export class HttpSettings extends Context.Service<
  HttpSettings,
  {
    /** Base address that clients use, without a trailing slash. */
    readonly publicUrl: string
    /** Capacity of an event that names none. */
    readonly defaultCapacity: number
  }
>()("gathercue/HttpSettings") {}
