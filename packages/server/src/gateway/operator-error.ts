/** An operator named something that is not there, or asked for what cannot be. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}
