import { whenNpmIsGone } from '@wigwag/contract'
import { commandProcess } from './command-process.ts'

/**
 * Resolves at the first SIGINT or SIGTERM, or when npm is gone. A second SIGINT kills the process at once; a second
 * SIGTERM changes nothing, because one may come from the process group and one from the parent.
 */
export function stopSignal(): Promise<void> {
  const running = commandProcess()
  return new Promise((resolve) => {
    let isAsked = false
    const ask = () => {
      isAsked = true
      resolve()
    }
    running.on('SIGINT', () => (isAsked ? running.exit(1) : ask()))
    running.on('SIGTERM', ask)
    whenNpmIsGone(running, ask)
  })
}
