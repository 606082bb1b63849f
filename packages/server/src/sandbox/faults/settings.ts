export const RECEIVER_FAULTS = ['500', '429', '410', 'time out'] as const
export const GATEWAY_FAULTS = ['429', '503'] as const

/** What goes wrong on purpose. Undefined for what goes well. */
export interface FaultSettings {
  /** How much longer carriers take to answer a submission, in milliseconds. */
  slowMs: number | undefined
  /** How many of a hundred receipts get lost. */
  lostPercent: number | undefined
  /** What every callback receiver answers. */
  receivers: (typeof RECEIVER_FAULTS)[number] | undefined
  /** What this gateway answers to every operation. */
  gateway: (typeof GATEWAY_FAULTS)[number] | undefined
}

export const NO_FAULTS: FaultSettings = {
  slowMs: undefined,
  lostPercent: undefined,
  receivers: undefined,
  gateway: undefined,
}

/** A carrier that takes longer than this has not answered, see `delivery/submit/answers.ts`. */
export const LONGEST_SLOW_MS = 30_000

/** The faults that are on, in words. */
export function faultsInWords({ slowMs, lostPercent, receivers, gateway }: FaultSettings): string[] {
  return [
    slowMs !== undefined && `the carrier takes ${slowMs / 1_000} s longer`,
    lostPercent !== undefined && `${lostPercent} % of receipts get lost`,
    receivers !== undefined && `receivers ${receivers === 'time out' ? receivers : `answer ${receivers}`}`,
    gateway !== undefined && `this gateway answers ${gateway}`,
  ].filter((words) => words !== false)
}
