import {
  type FaultSettings,
  GATEWAY_FAULTS,
  LONGEST_SLOW_MS,
  NO_FAULTS,
  RECEIVER_FAULTS,
} from '../../sandbox/index.ts'

/** What was typed, and what is wrong with it. */
export interface WrongFaults {
  given: Record<string, string>
  errors: Partial<Record<'slow' | 'lost', string>>
}

const MOST_PERCENT = 100

/** Reads the form of faults. A fault whose box is not ticked is off, whatever its field says. */
export function readFaults(form: URLSearchParams): FaultSettings | WrongFaults {
  const on = (name: string) => (form.has(name) ? (form.get(`${name}-value`) ?? '').trim() : undefined)
  const [slow, lost] = [on('slow'), on('lost')]
  const slowMs = slow === undefined ? undefined : milliseconds(slow)
  const lostPercent = lost === undefined ? undefined : percent(lost)
  const errors: WrongFaults['errors'] = {}
  if (slow !== undefined && slowMs === undefined)
    errors.slow = `Expected a time of at most ${LONGEST_SLOW_MS / 1_000} s such as 2 s or 500 ms, got “${slow}”.`
  if (lost !== undefined && lostPercent === undefined)
    errors.lost = `Expected a part such as 20 %, got “${lost}”.`
  if (Object.keys(errors).length > 0) return { given: Object.fromEntries(form), errors }
  return {
    ...NO_FAULTS,
    slowMs,
    lostPercent,
    receivers: RECEIVER_FAULTS.find((one) => one === on('receivers')),
    gateway: GATEWAY_FAULTS.find((one) => one === on('gateway')),
  }
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
