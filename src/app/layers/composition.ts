/** Inputs of every layer of a server. */
import type { Certificates } from "../../certificates/certificates.ts"
import type { Config } from "../../config/config.ts"
import { deriveKeyRing, type KeyRing } from "../../crypto/secret-key.ts"
import type { OpenDatabase } from "../../store/open-database.ts"
import type { Instance } from "../../store/quiet/instance.ts"
import type { KeptKeys } from "../../store/sealing/sealing-keys.ts"
import type { BuildFiles } from "../build-files.ts"

export interface Composition {
  readonly config: Config
  readonly open: OpenDatabase
  /** Name of this process: host, process id and a random part. */
  readonly node: string
  readonly publicUrl: string
  readonly kept: KeptKeys
  readonly instance: Instance
  /** `null`: a proxy in front of the server terminates TLS. */
  readonly certificates: Certificates | null
  readonly parts: BuildFiles
}

/** Keys of one purpose, from the current secret and older ones. */
export const keysOf = ({ config }: Composition, purpose: string): KeyRing => deriveKeyRing(config.secretKeys, purpose)

/** Base address of the pages to which emails and sign-ins lead. */
export const appUrlOf = ({ config, publicUrl }: Composition): string => config.appUrl ?? publicUrl

/** Only proved addresses send invitations and store media. Without mail no address can be proved. */
export const wantsProvedAddresses = ({ production, smtp }: Config): boolean => production && smtp !== null

/** Limits of stored media. */
export const quotaOf = (config: Config) => ({
  ofWorkspace: config.mediaQuotaBytes,
  ofFounder: config.mediaQuotaPerFounderBytes,
  provedOnly: wantsProvedAddresses(config),
})
