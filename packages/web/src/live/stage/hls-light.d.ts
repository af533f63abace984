/**
 * Types of the library's smaller build, which has none of its own. It lacks subtitles and alternative sound, which no playlist here has.
 */
declare module "hls.js/light" {
  export { default } from "hls.js"
}
