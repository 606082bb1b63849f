import { onTestFinished, vi } from 'vitest'

/** For a test of what happens without a pause: on a slow machine, work that is quick would be long enough for one. */
export function stopRealTime(): void {
  const spy = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  onTestFinished(() => spy.mockRestore())
}
