/** Domains as in DNS. */
import { Schema } from "effect"

export const Domain = Schema.String.check(
  Schema.isMaxLength(253),
  Schema.isPattern(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/, {
    message: "must be a domain in lower case, such as example.com",
  }),
)
