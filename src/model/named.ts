/**
 * Names of schemas in the descriptions of the API. They are not the library's `identifier`, because an identifier replaces the accepted
 * values in the messages about faulty input.
 */
import { SchemaAST } from "effect"

const NAME = "gathercue/name"

/** Annotation that names a schema: `Schema.Struct({ … }).annotate(named("Event"))`. */
export const named = (name: string): { readonly [NAME]: string } => ({ [NAME]: name })

/** The name given to a schema. */
export const nameOf = (ast: SchemaAST.AST): string | undefined => {
  const name = SchemaAST.resolve(ast)?.[NAME]
  return typeof name === "string" ? name : undefined
}
