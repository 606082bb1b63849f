import { commandProcess } from './command-process.ts'

/** Resolves at the first SIGINT or SIGTERM. A second one kills the process at once. */
export function stopSignal(): Promise<void> {
  const running = commandProcess()
  return new Promise((resolve) => {
    const asked = () => {
      running.once('SIGINT', () => running.exit(1))
      running.once('SIGTERM', () => running.exit(1))
      resolve()
    }
    running.once('SIGINT', asked)
    running.once('SIGTERM', asked)
  })
}
