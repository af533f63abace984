/** Containers that can be read. Each holds its media itself: a playlist would name other files, including those of other people. */
import { ADTS, FLAC, type InputFormat, MATROSKA, MP3, MP4, MPEG_TS, OGG, QTFF, WAVE, WEBM } from "mediabunny"

export const FORMATS: InputFormat[] = [MP4, QTFF, MATROSKA, WEBM, WAVE, OGG, FLAC, MP3, ADTS, MPEG_TS]
