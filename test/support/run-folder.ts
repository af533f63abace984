/** Places within the folder of a run; missing until a test needs them. */
import { join } from "node:path"

/** The programs of processes. */
export const bundledIn = (runFolder: string): string => join(runFolder, "bundled")

/** The examples and the client that they use. */
export const siteIn = (runFolder: string): string => join(runFolder, "site")

/** The pages for people. */
export const webIn = (runFolder: string): string => join(runFolder, "web")
