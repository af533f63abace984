/** Text of which every byte but those of the unreserved characters is escaped (RFC 3986 §2.3), as header parameters and S3 want it. */
export const percentEncoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
