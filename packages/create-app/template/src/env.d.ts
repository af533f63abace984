interface ImportMetaEnv {
  readonly VITE_GATHERCUE_URL?: string
}
