/** Environment keys of pages, calls, broadcasts, recordings and their storage, in the order of the help. */
import type { Key } from "./key.ts"

export const MEDIA_KEYS = [
  {
    name: "MEDIA_URL",
    fallback: "unset",
    doc: "Address of a LiveKit server as clients reach it, `wss://…`; with its key and secret participants get seats there.",
  },
  { name: "MEDIA_API_KEY", fallback: "unset", doc: "API key at the LiveKit server." },
  {
    name: "MEDIA_API_SECRET",
    fallback: "unset",
    doc: "API secret at the LiveKit server; signs the seats.",
    secret: true,
  },
  {
    name: "WEB",
    fallback: "on",
    doc: "`off`: the server has no pages for attendees, hosts and operators, and links in emails lead to a few plain ones.",
  },
  {
    name: "EMBED_ORIGINS",
    fallback: "none",
    doc: "Origins whose pages may show the attendee's page in a frame, comma separated, such as `https://www.example.com`.",
  },
  {
    name: "MESH_MAX_PEERS",
    fallback: "6",
    doc: "People of a room who send sound and picture to each other's browsers where there is no media server, 2 to 6; with sound alone there may be 8.",
  },
  {
    name: "MEDIA_PORT",
    fallback: "8081; 0 in production and beside MEDIA_URL",
    doc: "UDP and TCP port of the media server that is part of this server, for rooms of more people than browsers can connect to each other and for encoders by WHIP; 0: none. It is open on all addresses of the machine from the first call on. If it is taken, and for each further process of `WORKERS`, the next free one of 64 ports.",
  },
  {
    name: "MEDIA_ADDRESSES",
    fallback: "unset",
    doc: "IP addresses at which browsers reach `MEDIA_PORT`, comma separated, such as `203.0.113.7`; by default those of the machine.",
  },
  {
    name: "MEDIA_MAX_PEERS",
    fallback: "25",
    doc: "People of a room with sound and picture on that media server, 2 to 50.",
  },
  {
    name: "ICE_SERVERS",
    fallback: "unset",
    doc: "STUN and TURN servers for such rooms, comma separated, such as `stun:turn.example:3478,turn:turn.example:3478?transport=udp`; without any, only browsers that reach each other's addresses directly connect.",
  },
  {
    name: "TURN_SECRET",
    fallback: "unset",
    doc: "The secret that this server shares with the TURN servers of `ICE_SERVERS` (coturn: `static-auth-secret`); people get credentials for an hour.",
    secret: true,
  },
  {
    name: "RTC_POLICY",
    fallback: "all",
    doc: "`all`: browsers connect directly where they can, so that people in a room may learn each other's network addresses. `relay`: only through the TURN servers of `ICE_SERVERS`.",
  },
  {
    name: "PLAYBACK_URL_TEMPLATE",
    fallback: "unset",
    doc: "Where a broadcast is watched, such as `https://cdn.example/{broadcastId}/index.m3u8`; may hold `{eventId}` and `{phaseId}` too.",
  },
  {
    name: "BROADCAST_INGEST",
    fallback: "on",
    doc: "`on`: encoders push broadcasts to this server, and it gives them to viewers. `off`: it takes none.",
  },
  {
    name: "BROADCAST_STAGE",
    fallback: "on",
    doc: "Where there is a media server with a bucket (`MEDIA_URL` and `S3_URL`): `on`: it makes the broadcast of what happens in the main room, and no encoder can push. `off`: as without a media server.",
  },
  {
    name: "CDN_URL",
    fallback: "PUBLIC_URL",
    doc: "Base address of a CDN before this server, under which viewers watch broadcasts.",
  },
  {
    name: "BROADCAST_INGESTS",
    fallback: "8",
    doc: "Encoders at once, 1 to 256; one more is answered 503. Of several nodes or workers, for those whose broadcasts one process owns.",
  },
  {
    name: "BROADCAST_INGESTS_PER_WORKSPACE",
    fallback: "0",
    doc: "Of these, those of one workspace, 0 to 256; 0: half of them, rounded up. Encoders are not cut, so that this limit holds also while no other workspace wants one.",
  },
  { name: "BROADCAST_MAX_KBPS", fallback: "8000", doc: "Bit rate of one encoder over ten seconds, 64 to 100000." },
  { name: "BROADCAST_MAX_HOURS", fallback: "12", doc: "The longest broadcast, 1 to 24." },
  {
    name: "MEDIA_RECORDER",
    fallback: "unset",
    doc: "`external`: something beside this server records events. Without it, and without `MEDIA_URL` with a bucket (`S3_URL`), `capture.start` takes `recording` only while a broadcast is live that is pushed to this server.",
  },
  {
    name: "FFMPEG_PATH",
    fallback: "on `PATH`",
    doc: "ffmpeg, which makes a picture and a waveform of each recording; `off` makes none. Without ffmpeg there are none.",
  },
  {
    name: "TRANSCRIBE_URL",
    fallback: "unset",
    doc: "Base address of an OpenAI-compatible speech recogniser, such as `https://host/v1`. The sound of every recording that becomes ready without a transcript is sent there. A private address is allowed.",
  },
  { name: "TRANSCRIBE_MODEL", fallback: "whisper-1", doc: "Name of its model." },
  { name: "TRANSCRIBE_KEY", fallback: "unset", doc: "Bearer key for it.", secret: true },
  { name: "MEDIA_MAX_BYTES", fallback: "5368709120", doc: "Bytes of one recording, 0 to 1099511627776; 0: no limit." },
  {
    name: "MEDIA_QUOTA_BYTES",
    fallback: "53687091200",
    doc: "Bytes of all recordings and clips of a workspace, 0 to 1125899906842624; 0: no limit.",
  },
  {
    name: "MEDIA_QUOTA_BYTES_PER_FOUNDER",
    fallback: "536870912000",
    doc: "The same of all workspaces together that one account founded, 0 to 1125899906842624; 0: no limit.",
  },
  {
    name: "MEDIA_MIN_FREE_BYTES",
    fallback: "1073741824",
    doc: "Bytes that stay free on the disk: below it uploads are answered 503, 0 to 1099511627776.",
  },
  {
    name: "MEDIA_UPLOADS",
    fallback: "4",
    doc: "Uploads at once, 1 to 64, which workspaces share: one more of a workspace that has half of them is answered 503, and for one that has fewer the slowest upload of another is cut. The gateway shares the process with them.",
  },
  {
    name: "MEDIA_RETENTION_DAYS",
    fallback: "0",
    doc: "Recordings are deleted so many days after they were begun, with all that was made from them, 0 to 36500; 0: they are kept.",
  },
  {
    name: "HISTORY_RETENTION_DAYS",
    fallback: "90",
    doc: 'The history of an event with `history: "kept"` can be replayed so many days after its end, 1 to 36500, and is then deleted.',
  },
  {
    name: "S3_URL",
    fallback: "unset",
    doc: "Address of an S3 bucket that keeps recordings and clips, as this server and clients reach it: `https://host/bucket` or `https://bucket.host`. Without it they are on the disk, in `DATA_DIR`.",
  },
  { name: "S3_REGION", fallback: "us-east-1", doc: "Region that requests to the bucket are signed for." },
  { name: "S3_ACCESS_KEY_ID", fallback: "unset", doc: "Id of the access key to the bucket." },
  { name: "S3_SECRET_ACCESS_KEY", fallback: "unset", doc: "Secret of that key.", secret: true },
] as const satisfies ReadonlyArray<Key>
