import { type EpochMs, epochMs } from '../../../kernel/ids.ts'
import { HOUR_MS } from '../../../kernel/time/spans.ts'
import type { Markup } from '../../../net/pages/markup.ts'

/** Of the picture, in its own units. */
const [BAR, GAP, HEIGHT] = [20, 4, 100]

/** The messages of an hour, by their standing. */
export interface HourBar {
  hour: EpochMs
  delivered: number
  failed: number
  open?: number
}

/** The hour in which the picture of so many hours begins. */
export function firstHourOf(hours: number, now: EpochMs): EpochMs {
  return epochMs(Math.max(0, (Math.floor(now / HOUR_MS) - hours + 1) * HOUR_MS))
}

/** A bar for each of the last hours. The picture has one label as a whole; the figures beside it are for reading. */
export function hoursChart(
  bars: readonly HourBar[],
  { hours, now, label }: { hours: number; now: EpochMs; label: string },
): Markup {
  const first = firstHourOf(hours, now)
  const most = mostInOne(bars)
  return (
    <svg
      class="hours"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${hours * (BAR + GAP)} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      {bars.flatMap(({ hour, delivered, failed, open = 0 }) => {
        const x = ((hour - first) / HOUR_MS) * (BAR + GAP)
        const part = (count: number, below: number, name: string) =>
          bar(x, (HEIGHT * count) / most, (HEIGHT * below) / most, name)
        return [
          part(delivered, 0, 'delivered'),
          part(failed, delivered, 'failed'),
          part(open, delivered + failed, 'sent'),
        ]
      })}
    </svg>
  )
}

export function mostInOne(bars: readonly HourBar[]): number {
  return Math.max(1, ...bars.map(({ delivered, failed, open = 0 }) => delivered + failed + open))
}

function bar(x: number, height: number, below: number, name: string): Markup {
  return (
    <rect
      class={name}
      x={x}
      y={(HEIGHT - below - height).toFixed(1)}
      width={BAR}
      height={height.toFixed(1)}
    />
  )
}
