/** The form in which texts are searched: the server searches in the same form. */
export const searchForm = (text: string): string => text.normalize("NFKC").toLowerCase().replaceAll("ς", "σ").trim()
