/** Abbreviations in the table of routes. */

/** Prefix of every path in the table of routes. */
export const PREFIX = "/v1/"
/** HTTP methods by their abbreviation in the table of routes. */
export const METHODS: { readonly [letter: string]: string } = { G: "GET", P: "POST", A: "PATCH", U: "PUT", D: "DELETE" }
