import { type Finding, fail, skip, type Verdict } from './finding.ts'
import { Wrong } from './visit.ts'

/** The checks, in the order in which they are made and printed. */
export const CHECKS = [
  'address',
  'challenge',
  'resource',
  'server',
  'registration',
  'sign-in',
  'token',
  '2026-07-28',
  '2025-11-25',
  'tools',
  'sending',
  'balance',
  'revocation',
] as const
export type CheckName = (typeof CHECKS)[number]

/** Collects the findings in the order of the checks. A check that nothing is reported for was not tried. */
export interface Progress {
  findings: readonly Finding[]
  report(check: CheckName, verdict: Verdict): void
  /** Reports that these checks were not tried, and why. */
  skip(checks: readonly CheckName[], why: string): void
  /** Makes one check: reports what it returns, or `fail` with what it throws. Undefined when it failed. */
  attempt<T>(check: CheckName, work: () => Promise<Passed<T>>): Promise<T | undefined>
  hasFailed(): boolean
  /** Reports the checks that are left. */
  finish(): void
}

export interface Passed<T> {
  /** `ok` unless given. */
  state?: 'ok' | 'warn'
  detail: string
  value: T
}

const NOT_TRIED = 'not tried, because of what failed above'

export function createProgress(onFinding: (finding: Finding) => void, stopped: AbortSignal): Progress {
  const findings: Finding[] = []

  function add(check: CheckName, verdict: Verdict): void {
    const finding = { check, ...verdict }
    findings.push(finding)
    onFinding(finding)
  }

  function skipUntil(end: number): void {
    const why = stopped.aborted ? 'not tried, because the check was stopped' : NOT_TRIED
    for (const check of CHECKS.slice(findings.length, end)) add(check, skip(why))
  }

  function report(check: CheckName, verdict: Verdict): void {
    skipUntil(CHECKS.indexOf(check))
    add(check, verdict)
  }

  return {
    findings,
    report,
    skip(checks, why) {
      for (const check of checks) report(check, skip(why))
    },
    async attempt(check, work) {
      try {
        const { state = 'ok', detail, value } = await work()
        report(check, { state, detail })
        return value
      } catch (error) {
        report(check, fail(stopped.aborted ? 'stopped' : inWords(error)))
        return undefined
      }
    },
    hasFailed: () => findings.some(({ state }) => state === 'fail'),
    finish: () => skipUntil(CHECKS.length),
  }
}

function inWords(error: unknown): string {
  if (error instanceof Wrong) return error.message
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
