/** Settings of vitest that all suites share. */
import { PATIENCE_MS, TEST_MS } from "./patience.ts"
import { ProgressReporter } from "./progress-reporter.ts"

export const suite = () => ({
  globalSetup: ["test/support/global-setup.ts"],
  setupFiles: ["test/support/every-file.ts"],
  reporters: [new ProgressReporter()],
  pool: "forks" as const,
  // The files of a worker share their modules: loading them anew for each took a third of the whole run.
  isolate: false,
  // A young generation of 64 MB takes a twentieth off the processor time of a run: fewer objects live to be moved.
  execArgv: ["--max-semi-space-size=64"],
  testTimeout: TEST_MS,
  // A hook may start a server, wait for the bundle of the run, or open Chromium.
  hookTimeout: TEST_MS,
  // The default of one second is less than a busy machine takes for a request.
  expect: { poll: { timeout: PATIENCE_MS } },
  retry: 0,
  passWithNoTests: false,
})
