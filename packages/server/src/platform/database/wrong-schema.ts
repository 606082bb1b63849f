/** The schema is not one that this version works with. The message says what to do, and nothing was changed. */
export class WrongSchema extends Error {
  override readonly name = 'WrongSchema'
}
