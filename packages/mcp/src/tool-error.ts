/**
 * A call that failed for a reason that the caller can act on. The message is told to the model word by word:
 * it says what was expected, what came and what to do.
 */
export class ToolError extends Error {
  override name = 'ToolError'
}
