/** The output of a run: one line of progress now and then, each failed file at once, and at the end the slowest tests and the summary. */
import { DefaultReporter, type TestCase, type TestModule, type TestSpecification } from "vitest/node"

const PROGRESS_EVERY_MS = 10_000
const SLOWEST = 10
/** A run of few tests needs no list of the slowest. */
const MANY_TESTS = 50

interface Slow {
  readonly name: string
  readonly seconds: number
}

const clock = (ms: number): string => {
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
}

export class ProgressReporter extends DefaultReporter {
  #begunAt = 0
  #saidAt = 0
  #files = 0
  #done = 0
  #tests = 0
  #failed = 0
  readonly #slowest: Slow[] = []

  override onTestRunStart(specifications: ReadonlyArray<TestSpecification>): void {
    super.onTestRunStart(specifications)
    this.#begunAt = performance.now()
    this.#saidAt = this.#begunAt
    this.#files = specifications.length
  }

  override onTestCaseResult(test: TestCase): void {
    super.onTestCaseResult(test)
    this.#tests++
    if (test.result().state === "failed") this.#failed++
    const seconds = (test.diagnostic()?.duration ?? 0) / 1000
    this.#slowest.push({ name: `${this.relative(test.module.moduleId)}: ${test.fullName}`, seconds })
    if (this.#slowest.length <= 10 * SLOWEST) return
    this.#slowest.sort((a, b) => b.seconds - a.seconds).splice(SLOWEST)
  }

  override onTestModuleEnd(module: TestModule): void {
    super.onTestModuleEnd(module)
    this.#done++
    const now = performance.now()
    if (now - this.#saidAt < PROGRESS_EVERY_MS) return
    this.#saidAt = now
    const counts = [`${this.#done} of ${this.#files} files`, `${this.#tests} tests`, `${this.#failed} failed`]
    this.log(`${clock(now - this.#begunAt).padStart(6)}  ${counts.join(", ")}`)
  }

  protected override printTestModule(module: TestModule): void {
    if (!module.ok()) super.printTestModule(module)
  }

  override onTestRunEnd(...ended: Parameters<DefaultReporter["onTestRunEnd"]>): void {
    if (this.#tests > MANY_TESTS) {
      this.log("\nThe slowest tests:")
      const slowest = this.#slowest.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST)
      for (const { name, seconds } of slowest) this.log(`${seconds.toFixed(1).padStart(6)} s  ${name}`)
    }
    super.onTestRunEnd(...ended)
  }
}
