import { commandProcess } from './command-process.ts'

export interface Progress {
  update(done: number): void
  /** Clears the bar, and shows nothing more. */
  stop(): void
}

/** With what stands beside it, the bar is narrower than any terminal. */
const BAR = 30
const CLEARED = '\r\u001b[K'

/** A progress bar on stderr, if that is a terminal. `what` says what is counted. It is drawn at each further percent. */
export function startProgress(total: number, what = ''): Progress {
  const { stderr } = commandProcess()
  if (!stderr.isTTY) return { update() {}, stop() {} }
  let shown = -1
  let stopped = false

  function update(done: number): void {
    const percent = total === 0 ? 100 : Math.floor((done / total) * 100)
    if (stopped || percent === shown) return
    shown = percent
    const full = Math.floor((percent / 100) * BAR)
    const bar = '█'.repeat(full) + '░'.repeat(BAR - full)
    stderr.write(`${CLEARED}${`${bar} ${percent}% ${done} of ${total} ${what}`.trimEnd()}`)
  }

  update(0)
  return {
    update,
    stop() {
      if (!stopped) stderr.write(CLEARED)
      stopped = true
    },
  }
}
