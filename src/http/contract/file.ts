/** Lists that are returned as JSON pages or as one CSV file. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { PageQuery } from "./endpoint.ts"

export const CSV = "text/csv"
export const Csv = Schema.String.pipe(HttpApiSchema.asText({ contentType: CSV }))

export const FileQuery = {
  ...PageQuery,
  format: Schema.optionalKey(
    Schema.Literals(["json", "csv"]).annotate({
      description:
        "`csv`: the whole list as one file, without pages. Cells that a spreadsheet would take for a formula begin with an apostrophe.",
      default: "json",
      examples: ["csv"],
    }),
  ),
}
