/** The ways into an account that this server offers. */
import { rest } from "../../api/rest.ts"
import { useLoaded } from "../../api/use-loaded.ts"

/** Undefined until the answer: the form for passwords works without it, so that a failure is not shown. */
export const useEntryWays = () => useLoaded("idp", (signal) => rest.getIdp({}, { signal })).value
