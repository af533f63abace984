import { lowerAscii } from "../../model/text/compared.ts"
import type { HttpRequest } from "../transport/message.ts"

/** The first language of the request's `accept-language` that `isKnown` accepts. Weights are not read: browsers send the order. */
export const preferredLanguage = <L extends string>(
  { headers }: HttpRequest,
  isKnown: (tag: string) => tag is L,
): L | undefined =>
  (headers["accept-language"] ?? "")
    .split(",")
    .map((tag) => lowerAscii(tag.trim().split(/[-;]/, 1)[0] ?? ""))
    .find(isKnown)
