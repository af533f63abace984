/** Bucket address in the media server's form: host and bucket name separately. */

interface BucketAddress {
  readonly endpoint: string
  readonly bucket: string
  /** Whether the bucket's name is in the path instead of the host. */
  readonly forcePathStyle: boolean
}

/** `url` has the form `https://host/bucket` or `https://bucket.host`. */
export const bucketOf = (url: string): BucketAddress => {
  const { protocol, host, pathname } = new URL(url)
  const inPath = pathname.split("/").find((part) => part !== "")
  if (inPath !== undefined) {
    return { endpoint: `${protocol}//${host}`, bucket: decodeURIComponent(inPath), forcePathStyle: true }
  }
  const [bucket = "", ...rest] = host.split(".")
  return { endpoint: `${protocol}//${rest.join(".")}`, bucket, forcePathStyle: false }
}
