/**
 * The embedded database cannot be started, for a reason the operator can act on. The message is one clear sentence
 * with the fault, its place, and the remedy; `main` prints it without a stack.
 */
export class EmbeddedPostgresRefused extends Error {
  override readonly name = "EmbeddedPostgresRefused"
}

/** Whether a failed file-system or process call failed with one of the given codes, e.g. `ENOENT`. */
export const failedWith = (error: unknown, ...codes: ReadonlyArray<string>): boolean =>
  error instanceof Error && "code" in error && codes.includes(String(error.code))
