import { commandProcess } from './command-process.ts'

export interface Progress {
  update(done: number): void
  /** Also gives back what was changed of the terminal. */
  stop(): void
}

/** A progress bar on stderr, if that is a terminal. `what` says what is counted. */
export async function startProgress(total: number, what = ''): Promise<Progress> {
  const { stderr } = commandProcess()
  if (!stderr.isTTY) return { update() {}, stop() {} }
  const { default: progress } = await import('cli-progress')
  const options = {
    stream: stderr,
    format: `{bar} {percentage}% {value} of {total} ${what}`.trimEnd(),
    clearOnComplete: true,
  }
  const bar = new progress.SingleBar(options, progress.Presets.shades_classic)
  bar.start(total, 0)
  return { update: (done) => bar.update(done), stop: () => bar.stop() }
}
