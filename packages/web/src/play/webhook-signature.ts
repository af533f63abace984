/** Verifies a Standard Webhooks signature, as a receiver does (docs: Webhooks). */
export interface InboxDelivery {
  readonly at: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

const PREFIX = "whsec_"
const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))

export const isSigned = async ({ headers, body }: InboxDelivery, secret: string): Promise<boolean> => {
  const raw = bytesOf(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret)
  const key = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["verify"])
  const text = new TextEncoder().encode(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`)
  const signatures = (headers["webhook-signature"] ?? "").split(" ").map((one) => one.replace(/^v1,/, ""))
  for (const signature of signatures) {
    if (signature !== "" && (await crypto.subtle.verify("HMAC", key, bytesOf(signature), text))) return true
  }
  return false
}
