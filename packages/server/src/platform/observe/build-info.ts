import type { Metrics } from '../metrics.ts'

/** Shows which program runs, as labels of a number that is always 1. */
export function showBuild(metrics: Pick<Metrics, 'watch'>, labels: Readonly<Record<string, string>>): void {
  const name = 'wigwag_build_info'
  const help = 'This process: always 1; the labels say which version runs, on which Node and engine.'
  metrics.watch([{ name, help, labels: Object.keys(labels) }], async () => [{ name, labels, value: 1 }])
}
