/** REST calls of the demo: what an integrator's server does before and around a live event. */
export interface Caller {
  readonly key?: string
  readonly cookie?: string
  readonly bearer?: string
}

// Answers are read by field; the contract's own types come with the typed REST client.
type Json = { readonly [field: string]: any } // any: JSON whose shape the endpoint decides

export class Rest {
  readonly #base: string

  constructor(base: string) {
    this.#base = base
  }

  /** The JSON answer; throws with the problem's code for anything but 2xx. */
  async call(method: string, path: string, caller: Caller, body?: unknown): Promise<Json> {
    return (await this.respond(method, path, caller, body)).json()
  }

  async respond(
    method: string,
    path: string,
    caller: Caller,
    body?: unknown,
  ): Promise<{ readonly headers: Headers; readonly json: () => Json }> {
    const response = await fetch(this.#base + path, {
      method,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(caller.key === undefined ? {} : { "x-api-key": caller.key }),
        ...(caller.cookie === undefined ? {} : { cookie: caller.cookie }),
        ...(caller.bearer === undefined ? {} : { authorization: `Bearer ${caller.bearer}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return { headers: response.headers, json: () => (text === "" ? {} : JSON.parse(text)) }
  }
}
