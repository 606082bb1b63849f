/** An axis: where it ends, and the values that have a line, from 0 up. */
export interface Scale {
  top: number
  ticks: readonly number[]
}

const ROUND = [1, 2, 3, 4, 5, 6, 8, 10]

/** An axis of so many round steps that holds the largest value. Without anything to show it is its 0. */
export function scaleOf(largest: number, steps: number): Scale {
  if (largest <= 0) return { top: 1, ticks: [0] }
  const least = Math.max(1, largest / steps)
  const power = 10 ** Math.floor(Math.log10(least))
  // Rounding in between can leave the last candidate a hair below what is needed; the next power always holds it.
  const step = (ROUND.find((round) => round * power >= least) ?? 20) * power
  return { top: step * steps, ticks: Array.from({ length: steps + 1 }, (_, index) => index * step) }
}
