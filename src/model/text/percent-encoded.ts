/** Percent-encodes every byte except the unreserved characters (RFC 3986 §2.3), as required by header parameters and S3. */
export const percentEncoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
