/**
 * How nodes prove to each other that they belong to one cluster: TLS with a pre-shared key (RFC 4279), made from the configured
 * secret. Each connection has fresh keys (ECDHE), and there are no certificates to make and renew.
 */
import { hkdfSync } from "node:crypto"
import type { ConnectionOptions, TlsOptions } from "node:tls"
import { Redacted } from "effect"

export interface SharedKey {
  readonly client: ConnectionOptions
  readonly server: TlsOptions
}

const IDENTITY = "gathercue-node"
const KEY_BYTES = 32

/** Node takes shared keys in TLS 1.2 (its documentation, "Pre-shared keys"). */
const TLS = { ciphers: "ECDHE-PSK-CHACHA20-POLY1305", minVersion: "TLSv1.2", maxVersion: "TLSv1.2" } as const

export const sharedKeyOf = (secret: Redacted.Redacted<string>): SharedKey => {
  const psk = Buffer.from(hkdfSync("sha256", Redacted.value(secret), "", "gathercue node transport", KEY_BYTES))
  return {
    client: {
      ...TLS,
      pskCallback: () => ({ psk, identity: IDENTITY }),
      // There is no certificate: the key is the proof.
      checkServerIdentity: () => undefined,
    },
    server: {
      ...TLS,
      pskCallback: (socket, identity) => {
        // The first sight of the socket: the engine listens to it for each write that waits, and more than ten are no leak.
        socket.setMaxListeners(0)
        return identity === IDENTITY ? psk : null
      },
    },
  }
}
