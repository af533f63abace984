/** Answers that many operations share, under one name each: they would otherwise make up most of the description. */
import { capital } from "../../model/text/compared.ts"

interface Response {
  readonly content?: { readonly [type: string]: { readonly examples?: unknown } }
}

const words = (code: string): string => code.split("_").map(capital).join("")

/** Name of an error answer from its codes: `NotFound`, `ConflictOrEventFull`. */
const nameOf = ({ content }: Response): string | undefined => {
  const examples = content?.["application/problem+json"]?.examples
  return typeof examples === "object" && examples !== null ? Object.keys(examples).map(words).join("Or") : undefined
}

/** Shared answers by name, collected from the operations, which then refer to them. */
export class SharedResponses {
  readonly byName: { [name: string]: Response } = {}

  /** Replaces the error answers of an operation by references. */
  takeAll({ responses }: { readonly responses: { [status: string]: object } }): void {
    for (const [status, response] of Object.entries(responses)) responses[status] = this.#take(response)
  }

  /** An answer by reference. Answers without codes stay as they are, as do further answers with the same codes and other texts. */
  #take(response: Response): Response | { readonly $ref: string } {
    const name = nameOf(response)
    if (name === undefined) return response
    const known = this.byName[name]
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(response)) {
      const other = `${name}OfMedia`
      this.byName[other] ??= response
      const isOther = JSON.stringify(this.byName[other]) === JSON.stringify(response)
      return isOther ? { $ref: `#/components/responses/${other}` } : response
    }
    this.byName[name] = response
    return { $ref: `#/components/responses/${name}` }
  }
}
