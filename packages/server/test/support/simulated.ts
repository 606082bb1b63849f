import { type Config, loadConfig } from '../../src/config/config.ts'

type Simulated = Config['simulator']

/** A simulator that is quick, and wrong in these parts of a hundred. */
export function simulated(trouble: Partial<Simulated['trouble']> = {}): Simulated {
  const { simulator } = loadConfig({}, {})
  return { ...simulator, delayMs: 20, trouble: { ...simulator.trouble, ...trouble } }
}
