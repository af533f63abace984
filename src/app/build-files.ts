/** Files that the build puts beside the program, and settings that tests change. */
import { fileURLToPath } from "node:url"
import type { GatewaySettings } from "../gateway/options.ts"
import type { HashCost } from "../identity/accounts/passwords.ts"
import type { MediaProcessorOptions } from "../media/processing/media-processor.ts"

/** Folders and modules; tests run from sources and name a build of their own. */
export interface BuildFiles {
  /** Module of the process that inspects media. */
  readonly mediaEntry: MediaProcessorOptions["entry"]
  /** Module of the process that forwards sound and picture. */
  readonly sfuEntry: MediaProcessorOptions["entry"]
  readonly hashCost?: HashCost
  /** Folder of the client for pages. */
  readonly clientFiles: URL
  /** Folder of the documentation. */
  readonly docsFiles: URL
  /** Folder of the pages for people. */
  readonly webFiles: URL
  /** Folder of the descriptions of REST and of the gateway; without it they are generated on first request. */
  readonly descriptions: URL
  /**
   * Tests with a media server give moved participants more time, those that send every command have more of them, and clients of tests send
   * no heartbeats.
   */
  readonly gateway?: Partial<Pick<GatewaySettings, "moveMs" | "budgets" | "commandsInFlight" | "heartbeatMs">>
}

export const BUILD_FILES: BuildFiles = {
  mediaEntry: { module: fileURLToPath(new URL("../media/processing/media-process.js", import.meta.url)), args: [] },
  sfuEntry: { module: fileURLToPath(new URL("../sfu/sfu-process.js", import.meta.url)), args: [] },
  clientFiles: new URL("../client-files/", import.meta.url),
  docsFiles: new URL("../docs-files/", import.meta.url),
  webFiles: new URL("../web-files/", import.meta.url),
  descriptions: new URL("../description-files/", import.meta.url),
}
