/** TLS parameters of a PostgreSQL address, in the terms of libpq (its documentation, "SSL Support"). */

export const SSL_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const
export type SslMode = (typeof SSL_MODES)[number]

export interface DatabaseTls {
  readonly mode: SslMode
  /** Paths of the authority's certificate, and of the client's certificate and key; null: not given. */
  readonly rootCert: string | null
  readonly cert: string | null
  readonly key: string | null
}

const PARAMETERS = ["sslmode", "ssl", "sslrootcert", "sslcert", "sslkey"]
/** Value of `sslrootcert` that stands for the authorities trusted by the machine. */
const SYSTEM = "system"

const modeOf = (given: string | null): SslMode | undefined => {
  // The driver's own value.
  if (given === "true") return "verify-full"
  return SSL_MODES.find((mode) => mode === given)
}

const requiredMode = (mode: SslMode, rootCert: string | null): SslMode => {
  if (rootCert === SYSTEM) return "verify-full"
  // As in libpq, the certificate is verified when its authority is named.
  return mode === "require" && rootCert !== null ? "verify-ca" : mode
}

/** The address without the TLS parameters, which are not session settings. Undefined: the mode is invalid. */
export const splitTls = (address: string): { readonly url: string; readonly tls: DatabaseTls } | undefined => {
  const [base = "", query = ""] = address.split("?", 2)
  const parameters = new URLSearchParams(query)
  const rootCert = parameters.get("sslrootcert")
  const given = parameters.get("sslmode") ?? parameters.get("ssl")
  const mode = given === null ? "disable" : modeOf(given)
  if (mode === undefined) return undefined
  const tls = {
    mode: requiredMode(mode, rootCert),
    rootCert: rootCert === SYSTEM ? null : rootCert,
    cert: parameters.get("sslcert"),
    key: parameters.get("sslkey"),
  }
  for (const name of PARAMETERS) parameters.delete(name)
  return { url: parameters.size === 0 ? base : `${base}?${parameters}`, tls }
}
