/** The Chromium of the tests. */
import { type Browser, chromium } from "playwright-core"

/** Chromium without windows (Debian: `chromium-headless-shell`), which does less work than the whole program. */
export const CHROMIUM = "/usr/bin/chromium-headless-shell"

/** Cameras and microphones that are faked, and may be used without asking. */
const FAKES = ["--use-fake-device-for-media-stream=fps=5,device-count=2", "--use-fake-ui-for-media-stream"]

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", ...FAKES] })
