/** The move can't begin or go on. The message says why and what to do. */
export class MoveRefused extends Error {
  override readonly name = 'MoveRefused'
}
