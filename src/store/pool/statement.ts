/**
 * SQL as tagged templates: a `Statement` is text and values until it is awaited, so it can be a fragment of another one and knows no
 * connection. The `Queryable` that made it decides where it runs: on any free connection, or inside one transaction.
 */
import type postgres from "postgres"

/** Rows in the shape declared by the statement's author; `count` is the number of rows read or written. */
export type Rows<T extends ReadonlyArray<object>> = T & { readonly count: number }

type Row = Record<string, unknown>

/** A trusted part of a statement's text without values. */
export class SqlFragment {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** Throws, so that a fragment awaited by mistake does not look as if it had run. */
  // biome-ignore lint/suspicious/noThenProperty: so that awaiting it is noticed.
  then(): never {
    throw new Error("A fragment is a part of a statement and does not run by itself.")
  }
}

/** A value encoded by the driver; arrays hold text or ids and need a cast in the statement, such as `::uuid[]`. */
type Value =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | ReadonlyArray<string>
  | postgres.Parameter<unknown>
  | SqlFragment
  | Statement<ReadonlyArray<object>>

/** A statement in executable form: text with `$1`, `$2`, … and their values. */
export interface Bound {
  readonly text: string
  readonly values: ReadonlyArray<unknown>
}

type Run = (bound: Bound) => Promise<Rows<ReadonlyArray<object>>>

/** Cached texts of templates that hold only values, keyed by the template's strings, which are one object per place in the code. */
const texts = new WeakMap<TemplateStringsArray, string>()

const numbered = (strings: TemplateStringsArray): string => {
  let text = texts.get(strings)
  if (text === undefined) {
    text = strings.reduce((before, after, index) => `${before}$${index}${after}`)
    texts.set(strings, text)
  }
  return text
}

const isText = (value: unknown): boolean => value instanceof Statement || value instanceof SqlFragment

class Statement<T extends ReadonlyArray<object>> implements PromiseLike<Rows<T>> {
  readonly #strings: TemplateStringsArray
  readonly #values: ReadonlyArray<unknown>
  readonly #run: Run
  #rows: Promise<Rows<T>> | undefined

  constructor(strings: TemplateStringsArray, values: ReadonlyArray<unknown>, run: Run) {
    this.#strings = strings
    this.#values = values
    this.#run = run
  }

  /** Runs the statement; awaiting it again gives the same rows without another run. */
  // biome-ignore lint/suspicious/noThenProperty: a statement is awaited, and a fragment is not; that distinguishes them.
  then<A = Rows<T>, B = never>(
    onRows?: ((rows: Rows<T>) => A | PromiseLike<A>) | null,
    onError?: ((cause: any) => B | PromiseLike<B>) | null, // any, as the error of a Promise is
  ): Promise<A | B> {
    this.#rows ??= this.#run(this.#bind()) as Promise<Rows<T>>
    return this.#rows.then(onRows, onError)
  }

  #bind(): Bound {
    if (!this.#values.some(isText)) return { text: numbered(this.#strings), values: this.#values }
    const values: unknown[] = []
    return { text: this.#write(values), values }
  }

  /** The text of this statement and its fragments; their values are added to `values`. */
  #write(values: unknown[]): string {
    let text = this.#strings[0] ?? ""
    for (const [index, value] of this.#values.entries()) {
      if (value instanceof Statement) text += value.#write(values)
      else if (value instanceof SqlFragment) text += value.text
      else text += `$${values.push(value)}`
      text += this.#strings[index + 1] ?? ""
    }
    return text
  }
}

/** SQL interface of store operations: a tagged template, `` await sql<Row[]>`select … where id = ${id}` ``. */
export interface Queryable {
  <T extends ReadonlyArray<object> = Row[]>(
    strings: TemplateStringsArray,
    ...values: ReadonlyArray<Value>
  ): Statement<T>
  /** A value to be stored as JSON. */
  readonly json: (value: unknown) => postgres.Parameter<unknown>
  /** Trusted text as a part of a statement; never anything from outside. */
  readonly unsafe: (text: string) => SqlFragment
}

export const makeQueryable = (run: Run, json: Queryable["json"]): Queryable =>
  Object.assign(
    <T extends ReadonlyArray<object>>(strings: TemplateStringsArray, ...values: ReadonlyArray<Value>) =>
      new Statement<T>(strings, values, run),
    { json, unsafe: (text: string) => new SqlFragment(text) },
  )
