/** One form of an address: how it is stored, looked up and compared. */
export const foldEmail = (email: string): string => email.trim().toLowerCase()
