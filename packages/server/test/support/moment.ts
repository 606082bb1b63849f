/** Long enough for what would happen by itself to have happened. */
export function aMoment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 60))
}
