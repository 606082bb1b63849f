/** Resolves at the first SIGINT or SIGTERM. A second one kills the process at once. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const asked = () => {
      process.once('SIGINT', () => process.exit(1))
      process.once('SIGTERM', () => process.exit(1))
      resolve()
    }
    process.once('SIGINT', asked)
    process.once('SIGTERM', asked)
  })
}
