import type { Check, Outcome } from './check.ts'
import { Wrong } from './connector-check/visit.ts'
import { NotTried } from './not-tried.ts'
import type { Part } from './plan.ts'
import { hide } from './secrets.ts'
import type { Session } from './session.ts'

export interface MakeChecksOptions {
  session: Session
  plan: readonly Part[]
  /** Text that must not be shown, should an answer repeat it. */
  secrets: readonly string[]
  stopped: AbortSignal
  onPart(heading: string): void
  onOutcome(outcome: Outcome): void
}

/** Makes every check of the plan, one after the other. */
export async function makeChecks(options: MakeChecksOptions): Promise<Outcome[]> {
  const { session, plan, secrets, stopped, onPart, onOutcome } = options
  const outcomes: Outcome[] = []
  for (const { heading, checks } of plan) {
    onPart(heading)
    for (const check of checks) {
      const { state, came } = await make(check, session, stopped)
      const { id, level, source, expects } = check
      const outcome = { id, level, source, expects, state, came: hide(came, secrets) }
      outcomes.push(outcome)
      onOutcome(outcome)
    }
  }
  return outcomes
}

async function make(
  check: Check,
  session: Session,
  stopped: AbortSignal,
): Promise<Pick<Outcome, 'state' | 'came'>> {
  const wasStopped = { state: 'not tried', came: 'the run was stopped' } as const
  if (stopped.aborted) return wasStopped
  try {
    await check.run(session)
    return { state: 'passed', came: '' }
  } catch (error) {
    if (stopped.aborted) return wasStopped
    if (error instanceof NotTried) return { state: 'not tried', came: error.message }
    if (error instanceof Wrong) return { state: 'failed', came: error.message }
    throw error
  }
}
