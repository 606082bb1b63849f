import { Problem } from '../domain/errors.ts'
import { RowLocked, StoreUnavailable } from '../store/database.ts'

/** What a caller is told of an error that is not a {@link Problem} yet; undefined when it is a fault of ours. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error
  if (error instanceof StoreUnavailable || error instanceof RowLocked) {
    return new Problem('unavailable', 'The store cannot take the request now; repeat it in a moment.', {
      headers: { 'retry-after': '1' },
    })
  }
  return undefined
}
