/** Counts the results that wait to be stored. New work waits until few do. */
export interface Backlog {
  /** Results have come; a negative weight: they are stored. */
  add(weight: number): void
  /** Resolves when few results wait, and at the latest after a quarter of a second. */
  small(): Promise<void>
}

/** About one batch. */
const FEW = 250
const LONGEST_MS = 250

/** Accepting has the thread whenever a socket is readable, so without this it would starve what it has accepted. */
export function createBacklog(few = FEW): Backlog {
  const waiting = new Set<() => void>()
  let waits = 0
  return {
    add(weight) {
      waits += weight
      if (waits <= few) for (const goOn of waiting) goOn()
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
