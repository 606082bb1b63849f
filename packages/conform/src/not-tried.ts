/** Why a check could not be made. It then has neither passed nor failed. */
export class NotTried extends Error {
  override readonly name = 'NotTried'
}
