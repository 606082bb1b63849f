export const RECEIVER_FAULTS = ['500', '429', '410', 'time out'] as const
export const GATEWAY_FAULTS = ['429', '503'] as const

/** Faults on purpose. Undefined: the fault is off. */
export interface FaultSettings {
  /** How much longer carriers take to answer a submission, in milliseconds. */
  slowMs: number | undefined
  /** How many of a hundred receipts get lost. */
  lostPercent: number | undefined
  /** The answer of every callback receiver. */
  receivers: (typeof RECEIVER_FAULTS)[number] | undefined
  /** This gateway's answer to every operation. */
  gateway: (typeof GATEWAY_FAULTS)[number] | undefined
}

export const NO_FAULTS: FaultSettings = {
  slowMs: undefined,
  lostPercent: undefined,
  receivers: undefined,
  gateway: undefined,
}

/** A carrier that takes longer than this has not answered, see `delivery/submit/answers.ts`. */
const LONGEST_SLOW_MS = 30_000

/** The faults that are on, in words. */
export function faultsInWords({ slowMs, lostPercent, receivers, gateway }: FaultSettings): string[] {
  return [
    slowMs !== undefined && `the carrier takes ${slowMs / 1_000} s longer`,
    lostPercent !== undefined && `${lostPercent} % of receipts get lost`,
    receivers !== undefined && `receivers ${receivers === 'time out' ? receivers : `answer ${receivers}`}`,
    gateway !== undefined && `this gateway answers ${gateway}`,
  ].filter((words) => words !== false)
}

/** Faults as people write them. A fault that is left out is off. */
export interface WrittenFaults {
  /** How much longer carriers take to answer a submission, at most 30 s: `2 s` or `500 ms`. */
  slow?: string | undefined
  /** How many receipts get lost: `20 %`. */
  lost?: string | undefined
  /** The answer of every callback receiver. */
  receivers?: (typeof RECEIVER_FAULTS)[number] | undefined
  /** This gateway's answer to every operation. */
  gateway?: (typeof GATEWAY_FAULTS)[number] | undefined
}

export type FaultErrors = Partial<Record<keyof WrittenFaults, string>>

const MOST_PERCENT = 100

export function readFaults(
  written: Readonly<Partial<Record<keyof WrittenFaults, string | undefined>>>,
): FaultSettings | { errors: FaultErrors } {
  const errors: FaultErrors = {}
  const read = <T>(name: keyof WrittenFaults, expected: string, reader: (text: string) => T | undefined) => {
    const text = written[name]?.trim()
    const value = text === undefined ? undefined : reader(text)
    if (text !== undefined && value === undefined) errors[name] = `Expected ${expected}, got “${text}”.`
    return value
  }
  const oneOf = <T extends string>(known: readonly T[]) => {
    return [`one of ${known.join(', ')}`, (text: string) => known.find((one) => one === text)] as const
  }
  const longest = `a time of at most ${LONGEST_SLOW_MS / 1_000} s such as 2 s or 500 ms`
  const settings: FaultSettings = {
    ...NO_FAULTS,
    slowMs: read('slow', longest, milliseconds),
    lostPercent: read('lost', 'a part such as 20 %', percent),
    receivers: read('receivers', ...oneOf(RECEIVER_FAULTS)),
    gateway: read('gateway', ...oneOf(GATEWAY_FAULTS)),
  }
  return Object.keys(errors).length > 0 ? { errors } : settings
}

/** `2`, `2 s`, `2,5s`, `500 ms` */
function milliseconds(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,6}(?:[.,]\d{1,3})?)\s*(ms|s)?$/.exec(text) ?? []
  if (number === undefined) return undefined
  const ms = Math.round(Number(number.replace(',', '.')) * (unit === 'ms' ? 1 : 1_000))
  return ms > 0 && ms <= LONGEST_SLOW_MS ? ms : undefined
}

function percent(text: string): number | undefined {
  const [, number] = /^(\d{1,3})\s*%?$/.exec(text) ?? []
  const value = Number(number)
  return number !== undefined && value > 0 && value <= MOST_PERCENT ? value : undefined
}
