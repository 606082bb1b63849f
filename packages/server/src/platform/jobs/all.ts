/** Resolves when all have settled, and rejects with the errors of those that failed. */
export async function all(work: Iterable<Promise<unknown>>): Promise<void> {
  const results = await Promise.allSettled(work)
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  if (errors.length > 0)
    throw new AggregateError(errors, `could not settle ${errors.length} of ${results.length} jobs`)
}
