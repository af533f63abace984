/** The smaller build of the library has no types of its own: without subtitles and alternative sound, which no playlist here has. */
declare module "hls.js/light" {
  export { default } from "hls.js"
}
