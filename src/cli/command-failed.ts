/** A command could not do, or did not find, what was requested. The message is a sentence for the operator. */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed"
}
