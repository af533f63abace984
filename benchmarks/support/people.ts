/** People with accounts, each from an address of their own: an address may sign up only a few. */
import { randomUUID } from "node:crypto"

export interface Person {
  readonly email: string
  readonly password: string
  readonly address: string
}

const PASSWORD = "correct horse battery"

/** Signs somebody up. The server believes the address where it trusts a proxy here. */
export const signUp = async (url: string, address: string): Promise<Person> => {
  const person = { email: `honest-${randomUUID()}@example.com`, password: PASSWORD, address }
  const response = await fetch(`${url}/v1/accounts/signup`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-forwarded-for": address },
    body: JSON.stringify({ email: person.email, password: PASSWORD, name: "Honest" }),
  })
  if (response.status !== 201) throw new Error(`signup: ${response.status} ${await response.text()}`)
  return person
}
