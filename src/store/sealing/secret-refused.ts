/** The database was used with another secret. The message is one sentence for the operator. */
export class SecretRefused extends Error {
  override readonly name = "SecretRefused"
}
