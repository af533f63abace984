/** Ways into an account offered by this server. */
import { rest } from "../../api/rest.ts"
import { useLoaded } from "../../api/use-loaded.ts"

/** Undefined until the answer: the password form works without it, so a failure is not shown. */
export const useEntryWays = () => useLoaded("idp", (signal) => rest.getIdp({}, { signal })).value
