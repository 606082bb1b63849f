/** What waits to be stored, of all parts that share it. Whoever brings more work first waits until little does. */
export interface Backlog {
  /** Work has come, or is done when negative. */
  add(weight: number): void
  /** Resolves when little waits, or after a while all the same. */
  small(): Promise<void>
}

/** So much is little: about a batch. */
const LITTLE = 250
const LONGEST_MS = 250

/** Accepting has the thread whenever a socket is readable, so without this it would starve what it has accepted. */
export function createBacklog(little = LITTLE): Backlog {
  const waiting = new Set<() => void>()
  let waits = 0
  return {
    add(weight) {
      waits += weight
      if (waits <= little) for (const goOn of waiting) goOn()
    },
    async small() {
      if (waits <= little) return
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
