/** Counts the results that wait to be stored. While many do, new work waits, but for owners that bring little. */
export interface Backlog {
  /** Results have come; a negative weight: they are stored. */
  add(weight: number): void
  /**
   * Whether an owner's new work, which counts as brought from now on, may begin; otherwise it waits until few results do.
   * An owner that brought less than half of an equal share lately is never held up by what others brought.
   */
  admits(owner: string, weight: number): boolean
  /** Resolves when few results wait, and at the latest after a quarter of a second. */
  small(): Promise<void>
}

/** About one batch. */
const FEW = 250
const LONGEST_MS = 250
/** Lately: about this much work of all owners. */
const LATELY = 20_000

/** Accepting has the thread whenever a socket is readable, so without this it would starve what it has accepted. */
export function createBacklog(few = FEW): Backlog {
  const waiting = new Set<() => void>()
  let waits = 0
  const brought = new Map<string, number>()
  let all = 0

  /** Halves what everybody brought, so that it is forgotten in time. */
  function forget(): void {
    all = 0
    for (const [owner, weight] of brought) {
      const half = weight >> 1
      if (half === 0) brought.delete(owner)
      else brought.set(owner, half)
      all += half
    }
  }

  return {
    add(weight) {
      waits += weight
      if (waits <= few) for (const goOn of waiting) goOn()
    },
    admits(owner, weight) {
      const before = brought.get(owner) ?? 0
      const bringsLittle = 2 * before * brought.size <= all
      brought.set(owner, before + weight)
      all += weight
      if (all > LATELY) forget()
      return waits <= few || bringsLittle
    },
    async small() {
      if (waits <= few) return
      await new Promise<void>((resolve) => {
        const timer = setTimeout(goOn, LONGEST_MS)
        function goOn(): void {
          clearTimeout(timer)
          waiting.delete(goOn)
          resolve()
        }
        waiting.add(goOn)
      })
    },
  }
}
