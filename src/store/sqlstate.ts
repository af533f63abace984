/** The meaning of database errors: the SQLSTATE table (PostgreSQL documentation, appendix A) and the driver's own codes. */

export interface SqlState {
  readonly code: string
  /** Name of the violated constraint, when there is one. */
  readonly constraint: string | undefined
  readonly uniqueViolation: boolean
  readonly foreignKeyViolation: boolean
  /** Another activation owns the live event (raised by `commit_live_event`). */
  readonly fenced: boolean
  /** An event's capacity would fall below its registrations (raised by `refuse_lower_capacity`). */
  readonly overCapacity: boolean
  /** A recording belongs to a phase that is to be removed (raised by `drop_phases`). */
  readonly phaseRecorded: boolean
  /** The server is unreachable, starting, stopping or full: the same request may succeed later. */
  readonly unavailable: boolean
}

/**
 * Codes of an unavailable database: connection lost (08), resources and disk (53, 58), shutdown and start (57P0), a deadline of the server
 * (57014, 55P03, 25P03), a standby (25006), a conflict of two transactions (40001, 40P01), and the pool's own codes.
 */
const UNAVAILABLE =
  /^(?:08|53|58|57P0|57014|55P03|25P03|25006|40001|40P01|POOL_|CONNECT|ECONN|ENOENT|EPIPE|ENOTFOUND|ETIMEDOUT|EHOST|ENET|EAI_AGAIN)/

export const sqlState = (cause: unknown): SqlState => {
  const fields = (cause ?? {}) as { readonly code?: unknown; readonly constraint_name?: unknown }
  const code = typeof fields.code === "string" ? fields.code : ""
  return {
    code,
    constraint: typeof fields.constraint_name === "string" ? fields.constraint_name : undefined,
    uniqueViolation: code === "23505",
    foreignKeyViolation: code === "23503",
    fenced: code === "GC001",
    overCapacity: code === "GC002",
    phaseRecorded: code === "GC003",
    unavailable: UNAVAILABLE.test(code),
  }
}

const SERVERS_CODE = /^[0-9A-Z]{5}$/

/** Whether a working PostgreSQL refused the statement: nothing of it is stored, and it may be sent again. */
export const isRefusal = (cause: unknown): boolean => {
  const { code, unavailable } = sqlState(cause)
  return !unavailable && SERVERS_CODE.test(code)
}
