/** Places within the folder of a run. */
import { join } from "node:path"

/** Of the compiled source; missing until a test needs it. */
export const compiledIn = (runFolder: string): string => join(runFolder, "compiled")
