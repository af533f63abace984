/** Settings of the server's own certificate. */
import type { Values } from "./rules.ts"

export interface AcmeConfig {
  /** Lower case, without duplicates. */
  readonly domains: ReadonlyArray<string>
  readonly directory: string
  readonly email: string | null
  readonly httpPort: number
}

export const acmeOf = (values: Values): AcmeConfig | null =>
  values.ACME_DOMAINS.length === 0
    ? null
    : {
        domains: values.ACME_DOMAINS,
        directory: values.ACME_DIRECTORY,
        email: values.ACME_EMAIL,
        httpPort: values.ACME_HTTP_PORT,
      }
