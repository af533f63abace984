/** The expectations of the demo, collected during the run; one that fails makes the command fail. */
export class Expectations {
  readonly #lines: Array<{ readonly ok: boolean; readonly text: string }> = []

  expect(text: string, ok: boolean): void {
    this.#lines.push({ ok, text })
  }

  equal(text: string, actual: unknown, expected: unknown): void {
    const ok = JSON.stringify(actual) === JSON.stringify(expected)
    this.expect(ok ? text : `${text}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`, ok)
  }

  get failed(): number {
    return this.#lines.filter(({ ok }) => !ok).length
  }

  get report(): string {
    return this.#lines.map(({ ok, text }) => `  ${ok ? "ok  " : "FAIL"} ${text}`).join("\n")
  }
}

/** Waits until something holds, at most ten seconds; false when it never did. */
export const within = async (holds: () => boolean | Promise<boolean>, deadlineMs = 10_000): Promise<boolean> => {
  const deadline = Date.now() + deadlineMs
  while (!(await holds())) {
    if (Date.now() > deadline) return false
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return true
}
