#!/usr/bin/env node
/**
 * The command's first step: checks that there is a build of the engine for this machine, and that the process may open enough
 * files to load the rest, because Node reports a module that cannot be loaded only by a stack trace. Everything else is `app/run.ts`.
 */
import { engineFor, thisMachine } from "./engine/engine-choice.ts"
import { fileLimit } from "./telemetry/open-files.ts"

/** The modules, the embedded database's start, the pool and a few sockets; real use needs thousands, one for each socket. */
const FEWEST_OPEN_FILES = 512

const allowed = fileLimit()
if (allowed < FEWEST_OPEN_FILES) {
  process.stderr.write(
    `The process may open ${allowed} files at once and needs at least ${FEWEST_OPEN_FILES}; raise the limit (ulimit -n).\n`,
  )
  process.exit(1)
}

const engine = engineFor(thisMachine())
if ("refusal" in engine) {
  process.stderr.write(`${engine.refusal}\n`)
  process.exit(1)
}

await import("./app/run.ts")
