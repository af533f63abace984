/** Deadlines of a stop. */

/** Time for sockets to reconnect elsewhere, and for requests in flight to finish. The total is below the 10 s of a stop. */
export const DRAIN_SOCKETS_MS = 2000
export const DRAIN_DELIVERIES_MS = 2000
export const DRAIN_REQUESTS_MS = 2500
/** Deadline of a stop; each part gets the time that the previous parts left. The sum would be more if all of them hung. */
export const STOP_WITHIN_MS = 9000
export const LAYERS_WITHIN_MS = 4000
/** Time for an immediate shutdown of the embedded database, after its fast shutdown failed. */
export const RESERVE_MS = 1000
