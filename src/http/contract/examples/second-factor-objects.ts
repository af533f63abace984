/** Example objects for second factors and for sign-in through workspaces. */

import { ids, T0, T1 } from "../../../model/example-ids.ts"
import { TOKEN } from "./example-objects.ts"

export const SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
export const CODES = { recoveryCodes: ["k7rm-2hqx-9wcd-e4tz", "b3nf-6vyp-8sju-h5ga"] }
export const CHALLENGE = "nVqGZkPq3yGvXK2mB1l4eJx0yCw7sRr9tTfQh8uYdWc"
export const PASSKEY = { id: ids.passkey, name: "Laptop", createdAt: T0, lastUsedAt: T1 }
export const CREDENTIAL = { id: "k3ZrV2hTQ2lKbE1vUHE", rawId: "k3ZrV2hTQ2lKbE1vUHE", type: "public-key" }
export const ASSERTION = {
  ...CREDENTIAL,
  response: {
    clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
    authenticatorData: "SZYN5YgOjGh0NBcPZHZgW4",
    signature: "MEUCIQDf",
    userHandle: "AZah8AAAcACAAAAAAAAAAQ",
  },
}
export const CONNECTION = {
  id: ids.connection,
  name: "Okta",
  issuer: "https://acme.okta.com",
  clientId: "0oa1b2c3",
  domains: [
    {
      domain: "example.com",
      proved: true,
      record: { name: "_gathercue.example.com", value: `gathercue-connection=${TOKEN}` },
    },
  ],
  defaultRole: "member",
  redirectUri: `https://events.example.com/v1/auth/sso/${ids.connection}/callback`,
  createdAt: T0,
  updatedAt: T0,
  lastSuccessAt: T1,
  lastFailureAt: null,
  lastError: null,
}
