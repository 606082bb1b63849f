/** A call that failed for a reason the model can act on. The model is shown the message unchanged. */
export class ToolError extends Error {
  override name = 'ToolError'
}
