import * as z from 'zod'

/** How many items of a list a call wants. */
export function listLimit(usual: number) {
  return z.int().min(1).max(200).default(usual).describe('How many items to return at most.')
}

export const leftOut = z
  .int()
  .describe('How many items there are beyond the limit. Ask again with a larger `limit`.')

/** The first items of a list that came whole, and how many are not among them. */
export function capped<Item>(items: readonly Item[], limit: number): { shown: Item[]; left_out: number } {
  const shown = items.slice(0, limit)
  return { shown, left_out: items.length - shown.length }
}
