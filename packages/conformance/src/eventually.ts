/** Waits for something to become true. */
const PAUSE_MS = 10

/** A promise that was not kept; the message says what did not happen. */
export class Broken extends Error {
  override readonly name = "Broken"
}

/** @throws Broken when it is not true after so long */
export const eventually = async (holds: () => boolean, what: string, patienceMs: number): Promise<void> => {
  const deadline = performance.now() + patienceMs
  while (!holds()) {
    if (performance.now() > deadline) throw new Broken(`${what} did not come within ${patienceMs / 1000} s`)
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

export const demand: (holds: boolean, what: string) => asserts holds = (holds, what) => {
  if (!holds) throw new Broken(what)
}
