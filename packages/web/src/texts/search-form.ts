/** The form in which texts are searched: the server searches in the same form. */
export const searchForm = (text: string): string =>
  text.normalize("NFKC").toLowerCase().replaceAll("i\u0307", "i").replaceAll("ς", "σ").trim()
