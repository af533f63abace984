/** The address of a bucket as the media server wants it: the host and the bucket's name apart. */

interface BucketAddress {
  readonly endpoint: string
  readonly bucket: string
  /** The bucket's name is in the path, not in the host. */
  readonly forcePathStyle: boolean
}

/** `url`: `https://host/bucket`, or `https://bucket.host`. */
export const bucketOf = (url: string): BucketAddress => {
  const { protocol, host, pathname } = new URL(url)
  const inPath = pathname.split("/").find((part) => part !== "")
  if (inPath !== undefined) {
    return { endpoint: `${protocol}//${host}`, bucket: decodeURIComponent(inPath), forcePathStyle: true }
  }
  const [bucket = "", ...rest] = host.split(".")
  return { endpoint: `${protocol}//${rest.join(".")}`, bucket, forcePathStyle: false }
}
