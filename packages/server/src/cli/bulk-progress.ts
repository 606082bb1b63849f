export interface Progress {
  update(done: number): void
  stop(): void
}

/** A bar on stderr, where somebody is there to see it. */
export async function startProgress(total: number): Promise<Progress> {
  if (!process.stderr.isTTY) return { update() {}, stop() {} }
  const { default: progress } = await import('cli-progress')
  const options = {
    stream: process.stderr,
    format: '{bar} {percentage}% {value} of {total}',
    clearOnComplete: true,
  }
  const bar = new progress.SingleBar(options, progress.Presets.shades_classic)
  bar.start(total, 0)
  return { update: (done) => bar.update(done), stop: () => bar.stop() }
}
