/** The guarded HTTP client by itself, closed when its test ends. */
import { Effect, ManagedRuntime } from "effect"
import { onTestFinished } from "vitest"
import { Egress, type EgressOptions, type EgressRequest } from "../../src/egress/egress.ts"

export const openEgress = (options: EgressOptions) => {
  const runtime = ManagedRuntime.make(Egress.layer(options))
  onTestFinished(() => runtime.dispose())
  return {
    send: (request: Partial<EgressRequest> & { url: string }) =>
      runtime.runPromise(
        Effect.result(Effect.flatMap(Egress, (egress) => egress.send({ method: "POST", headers: {}, ...request }))),
      ),
    check: (url: string) => runtime.runPromise(Effect.result(Effect.flatMap(Egress, (egress) => egress.check(url)))),
    close: () => runtime.dispose(),
  }
}

/** How a target that may not be called is answered. */
export const refusal = { _tag: "Failure", failure: { _tag: "EgressRefused" } }
