/** A process that runs until it is asked to stop, fails, or loses what it depends on; then it stops gracefully, within a deadline. */
import type { Logger } from "pino"
import { exitWithError } from "../cli/terminal.ts"

interface Stoppable {
  readonly stop: () => Promise<void>
  /** Called when a stop is too slow: leaves no process behind. */
  readonly abandon: () => void
  /** Resolves with a sentence when the service has ended for good. */
  readonly failed: Promise<string>
}

/** Starts the service, and stops it on a signal. Resolves when it has started; a signal during the start is kept until then. */
export const runUntilStopped = async <S extends Stoppable>(
  log: Logger,
  stopWithinMs: number,
  start: () => Promise<S>,
): Promise<S & { readonly stopNow: () => void }> => {
  let isStopRequested = false
  let running: S | undefined

  const stop = (code: 0 | 1): void => {
    setTimeout(() => {
      log.error("the stop took too long")
      running?.abandon()
      process.exit(1)
    }, stopWithinMs).unref()
    void running?.stop().then(
      () => {
        log.info("stopped")
        process.exit(code)
      },
      (cause: unknown) => exitWithError(cause),
    )
  }
  const request = (code: 0 | 1): void => {
    if (isStopRequested) return
    isStopRequested = true
    stop(code)
  }

  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (isStopRequested) return
      log.info({ signal }, "stopping")
      request(0)
    })
  }
  const started = await start().catch(exitWithError)
  running = started
  // An escaped defect: committed work is safe, so the process stops gracefully and a supervisor restarts it.
  process.on("uncaughtException", (cause) => {
    log.fatal({ err: cause }, "an unexpected failure; stopping")
    request(1)
  })
  if (isStopRequested) stop(0)
  void started.failed.then((sentence) => {
    if (isStopRequested) return
    process.stderr.write(`${sentence}\n`)
    request(1)
  })
  return { ...started, stopNow: () => request(0) }
}
