/** Calendar files as answers. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

export const CALENDAR = "text/calendar; charset=utf-8"
export const Calendar = Schema.String.pipe(HttpApiSchema.asText({ contentType: CALENDAR }))
