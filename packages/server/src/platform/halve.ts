import { StoreUnavailable } from './database/database.ts'

export interface Halving<T> {
  /** Runs items together, all or none. */
  run(items: readonly T[], isHalf: boolean): Promise<void>
  /** Handles the items that are known to have caused an error. Returns the others, which run without being halved. */
  leaveOut?(items: readonly T[], error: unknown): Promise<readonly T[]>
  /** Called with an item that fails alone, and with all that are left once the store is unavailable. */
  fail(items: readonly T[], error: unknown): void
}

interface Part<T> {
  items: readonly T[]
  isHalf: boolean
}

/** Runs a batch. If it fails, it is halved until the items that fail are alone, and all others are done. */
export async function halve<T>(all: readonly T[], { run, leaveOut, fail }: Halving<T>): Promise<void> {
  /** Returns the parts to run instead, the next one last. */
  async function runPart({ items, isHalf }: Part<T>): Promise<Part<T>[]> {
    if (items.length === 0) return []
    try {
      await run(items, isHalf)
      return []
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      const others = (await leaveOut?.(items, error)) ?? items
      if (others.length < items.length) return [{ items: others, isHalf: false }]
      if (items.length > 1) return halvesOf(items)
      fail(items, error)
      return []
    }
  }

  const parts: Part<T>[] = [{ items: all, isHalf: false }]
  for (let part = parts.pop(); part; part = parts.pop()) {
    try {
      parts.push(...(await runPart(part)))
    } catch (error) {
      // The other parts would fail too, each after a wait.
      for (const { items } of [part, ...parts]) fail(items, error)
      return
    }
  }
}

function halvesOf<T>(items: readonly T[]): Part<T>[] {
  const middle = Math.ceil(items.length / 2)
  return [items.slice(middle), items.slice(0, middle)].map((half) => ({ items: half, isHalf: true }))
}
