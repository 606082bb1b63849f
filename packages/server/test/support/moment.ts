/** Waits for something that happens by itself within a moment, and gives up loudly. */
export async function until(what: string, test: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 5_000
  while (!(await test())) {
    if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

/** Long enough for what would happen by itself to have happened. */
export function aMoment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 60))
}
