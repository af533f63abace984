/** The client's reaction to the end of a connection. The range of a close code is the server's instruction. */
type CloseAdvice = "resume" | "backOff" | "newToken" | "stop"

const LEFT = 1000
const RANGES: { readonly [hundred: number]: CloseAdvice } = { 41: "backOff", 42: "newToken", 43: "stop" }

/** Codes outside the ranges count as a lost link. */
export const adviceFor = (code: number): CloseAdvice =>
  code === LEFT ? "stop" : (RANGES[Math.floor(code / 100)] ?? "resume")
