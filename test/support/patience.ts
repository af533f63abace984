/**
 * How long a test waits for what must happen, milliseconds. It only ends a wait that would last for ever: a machine that others keep busy
 * takes many times as long as an idle one, and a test that asserts speed by its deadline fails there for no fault of the product.
 */
export const PATIENCE_MS = 240_000

/** Deadline of a statement, milliseconds, where a test is not about it: a busy machine may keep the database from answering for seconds. */
export const DATABASE_DEADLINE_MS = 60_000

/** The longest that a test and a hook may take: they wait for several things. */
export const TEST_MS = 600_000

/** Clients of tests send no heartbeats, and a slow machine may keep one longer than two of a deployment's are apart. */
export const NO_HEARTBEATS_MS = 600_000
