/** One span per request of the contract, as a child of the caller's if the request names one (W3C `traceparent`). */
import { Option } from "effect"
import { Headers, HttpTraceContext } from "effect/http"
import type { Tracing } from "../../telemetry/tracing.ts"
import type { Serve } from "./serve.ts"

/** `route` is the registered path, such as `/v1/events/:id`. */
export const tracedRequest = <Services>(
  tracing: Tracing,
  { method, route }: { readonly method: string; readonly route: string },
  serve: Serve<Services>,
): Serve<Services> => {
  if (!tracing.isOn) return serve
  const template = route.replaceAll(/:(\w+)/g, "{$1}")
  const name = `${method} ${template}`
  return (request) => {
    const given = {
      kind: "server",
      attributes: {
        "http.request.method": request.method,
        "http.route": template,
        "gathercue.request_id": request.requestId,
      },
      parent: Option.getOrUndefined(HttpTraceContext.w3c(Headers.fromRecordUnsafe(request.headers))),
    } as const
    return tracing.root(name, given, serve(request), ({ status }) => ({
      attributes: { "http.response.status_code": status, "gathercue.caller": request.notes.caller ?? "none" },
      fault: status >= 500 ? `answered ${status}` : undefined,
    }))
  }
}
