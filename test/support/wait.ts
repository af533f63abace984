/** Waiting for something to become true, with a deadline: for what offers no signal of its own. */
const DEADLINE_MS = 30_000
const LOOK_EVERY_MS = 10

export const eventually = async (
  holds: () => boolean | Promise<boolean>,
  what = "the condition",
  deadlineMs = DEADLINE_MS,
): Promise<void> => {
  const deadline = Date.now() + deadlineMs
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`${what} did not become true within ${deadlineMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}
