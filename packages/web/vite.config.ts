/** One HTML file for each kind of page. The server sends them at the paths of `src/http/pages/web-files.ts`, and the rest under `/web/`. */
import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"

const here = (path: string): string => new URL(path, import.meta.url).pathname

// Vite reads the default export.
export default defineConfig({
  root: here("."),
  base: "/web/",
  plugins: [react()],
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
    // The client of LiveKit, which is loaded for calls on such a server alone.
    chunkSizeWarningLimit: 700,
    rolldownOptions: { input: ["attendee", "host", "play", "screen", "ops"].map((name) => here(`${name}.html`)) },
  },
})
