/** Calls work again and again, so many milliseconds apart. The returned function ends that. */
export type Pulse = (everyMs: number, work: () => void) => () => void

/** In real time. It keeps no process alive. */
export const realPulse: Pulse = (everyMs, work) => {
  const timer = setInterval(work, everyMs).unref()
  return () => clearInterval(timer)
}
