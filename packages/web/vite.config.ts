/** One HTML file for each kind of page. The server sends them at the paths of `src/http/pages/web-files.ts`, and the rest under `/web/`. */
import react from "@vitejs/plugin-react"
import { defineConfig, type Plugin } from "vite"

const here = (path: string): string => new URL(path, import.meta.url).pathname

/** Head of every page. The rules of the pressable style are in base.css: the component library adds none of its own where the id is taken. */
const HEAD = `<head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Gathercue</title>
    <link rel="icon" href="/src/ui/icon.svg" />
    <meta id="react-aria-pressable-style" />
  </head>`

const sameHead = (): Plugin => ({
  name: "same-head",
  transformIndexHtml: { order: "pre", handler: (html) => html.replace("<head></head>", HEAD) },
})

/** Styles before scripts: the words that stand in the file are painted when its styles are there, and a slow line carries both at once. */
const stylesFirst = (): Plugin => ({
  name: "styles-first",
  transformIndexHtml: {
    order: "post",
    handler: (html) => {
      const styles = html.match(/^ *<link rel="stylesheet"[^>]*>\n/gm)?.join("") ?? ""
      return html
        .replaceAll(/^ *<link rel="stylesheet"[^>]*>\n/gm, "")
        .replace(/^ *<script type="module"/m, (script) => styles + script)
    },
  },
})

/** The files that the first views of attendees and hosts share; what they import comes along. */
const FIRST_VIEW =
  /\/packages\/web\/src\/(?:ui\/(?:show-app|notice|button|fields|field-form|site-links)\.tsx|texts\/words\.ts|api\/(?:rest|provider-sign-in|use-loaded|use-action|event-session)\.ts)$/

// Vite reads the default export.
export default defineConfig({
  root: here("."),
  base: "/web/",
  plugins: [react(), sameHead(), stylesFirst()],
  resolve: {
    // The pages are built with the client of the same sources, not with its last build.
    alias: [
      { find: /^@gathercue\/client$/, replacement: here("../client/src/entry.ts") },
      { find: /^@gathercue\/client\/react$/, replacement: here("../client/src/react-entry.ts") },
      { find: /^@gathercue\/client\/media$/, replacement: here("../client/src/media-entry.ts") },
    ],
  },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    assetsDir: "",
    // A data: address would need a wider policy.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // Browsers without `modulepreload` load the files a round trip later.
    modulePreload: { polyfill: false },
    // The client of LiveKit, which is loaded for calls on such a server alone.
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      // One file instead of seven: a browser asks for six at a time, and the others wait for a round trip.
      output: { codeSplitting: { groups: [{ name: "base", test: FIRST_VIEW }] } },
      input: ["attendee", "host", "play", "screen", "ops"].map((name) => here(`${name}.html`)),
    },
  },
})
