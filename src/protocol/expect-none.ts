/** A compile-time check that a set of names is empty. */

/**
 * Every value satisfies this type when `Names` is empty, and none otherwise: the compile error then states the fault with the names. For
 * sets that no single table can hold, such as the commands without a transition in a statechart.
 */
export type ExpectNone<Fault extends string, Names> = [Names] extends [never]
  ? unknown
  : { readonly [F in Fault]: Names }
