/** Settings of the trace collector. */
import type { OtlpSettings } from "../model/otlp-settings.ts"
import type { Values } from "./rules.ts"

export const otlpOf = (values: Values): OtlpSettings | null =>
  values.OTEL_EXPORTER_OTLP_ENDPOINT === null
    ? null
    : {
        endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
        headers: values.OTEL_EXPORTER_OTLP_HEADERS,
        serviceName: values.OTEL_SERVICE_NAME,
        ratio: values.OTEL_TRACES_SAMPLER_ARG,
      }
