/** Maximum body size; larger bodies are refused while they arrive. Media uploads have limits of their own. */
export const BODY_LIMIT_BYTES = 262_144
