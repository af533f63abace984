/** Deadlines of a stop. */

/** Time for sockets to reconnect elsewhere, and for requests in flight to finish. Together below the 10 s of a stop. */
export const DRAIN_SOCKETS_MS = 2000
export const DRAIN_DELIVERIES_MS = 2000
export const DRAIN_REQUESTS_MS = 2500
/** A stop is done by then; each part gets the time that the parts before it left. The sum is more, if all of them hang. */
export const STOP_WITHIN_MS = 9000
export const LAYERS_WITHIN_MS = 4000
/** For an immediate shutdown of the embedded database, after its fast one did not work out. */
export const RESERVE_MS = 1000
