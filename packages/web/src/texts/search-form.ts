/** Normalised form for searching texts; the server uses the same form. */
export const searchForm = (text: string): string =>
  text.normalize("NFKC").toLowerCase().replaceAll("i\u0307", "i").replaceAll("ς", "σ").trim()
