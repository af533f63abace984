/**
 * Mutual authentication of the nodes of a cluster: TLS with a pre-shared key (RFC 4279), derived from the configured secret. Each
 * connection has fresh keys (ECDHE), and there are no certificates to issue and renew. While the secret is being changed a node has two
 * keys: the dialled node names the one that it uses, as the hint of its key's identity.
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
const HINT_BYTES = 8

/** Node supports pre-shared keys in TLS 1.2 (its documentation, "Pre-shared keys"). */
const TLS = { ciphers: "ECDHE-PSK-CHACHA20-POLY1305", minVersion: "TLSv1.2", maxVersion: "TLSv1.2" } as const

const derived = (secret: Redacted.Redacted<string>, purpose: string, bytes: number): Buffer =>
  Buffer.from(hkdfSync("sha256", Redacted.value(secret), "", purpose, bytes))

const keyOf = (secret: Redacted.Redacted<string>) => ({
  psk: derived(secret, "gathercue node transport", KEY_BYTES),
  hint: derived(secret, "gathercue node transport hint", HINT_BYTES).toString("hex"),
})

/** `other`: accepted in addition to `secret`. `refused`: called with the address of a node that is refused, because its key is neither. */
export const sharedKeyOf = (
  secret: Redacted.Redacted<string>,
  other: Redacted.Redacted<string> | null = null,
  refused: (address: string) => void = () => {},
): SharedKey => {
  const own = keyOf(secret)
  const beside = other === null ? own : keyOf(other)
  return {
    client: {
      ...TLS,
      // A node of the previous release gives no hint.
      pskCallback: (hint) => ({ psk: hint === beside.hint ? beside.psk : own.psk, identity: IDENTITY }),
      // There is no certificate: the key is the proof.
      checkServerIdentity: () => undefined,
    },
    server: {
      ...TLS,
      pskIdentityHint: own.hint,
      pskCallback: (socket, identity) => {
        // First access to the socket: the engine listens to it for each waiting write, and more than ten listeners are no leak.
        socket.setMaxListeners(0)
        if (identity !== IDENTITY) return null
        const address = socket.remoteAddress ?? ""
        const turnedAway = (): void => refused(address)
        socket.once("close", turnedAway).once("secure", () => socket.off("close", turnedAway))
        return own.psk
      },
    },
  }
}
