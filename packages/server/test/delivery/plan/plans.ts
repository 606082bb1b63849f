import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type CarrierPlan, PlanError } from '../../../src/delivery/plan/plan.ts'
import { readPlan } from '../../../src/delivery/plan/read-plan.ts'

const ENVIRONMENT = {
  NORTH_PASSWORD: 'swordfish-1',
  SOUTH_PASSWORD: 'swordfish-4',
  SOUTH_TOKEN: 'swordfish-2',
  SOUTH_RECEIPTS: 'swordfish-swordfish-3',
  TWILIO_TOKEN: 'swordfish-5',
  TWILIO_RECEIPTS: 'swordfish-swordfish-6',
}

/** Reads a plan from files, of which `carriers.json` is one. A value that is no text is written as JSON. */
export function planOf(files: Record<string, unknown>): CarrierPlan {
  const folder = mkdtempSync(join(tmpdir(), 'wigwag-plan-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(
      join(folder, name),
      typeof content === 'string' ? content : JSON.stringify(content, null, 2),
    )
  }
  return readPlan('file:./carriers.json', {
    environment: ENVIRONMENT,
    folder,
    isFixed: (variable) => variable === 'NORTH_PASSWORD',
  })
}

/** The problems for which a plan is refused. */
export function problemsOf(read: () => CarrierPlan): readonly string[] {
  try {
    read()
  } catch (error) {
    if (error instanceof PlanError) return error.problems
    throw error
  }
  throw new Error('expected the plan to be refused')
}

export const TEMPLATE = {
  request: { json: { to: '{recipient}', text: '{content}' }, headers: { Authorization: 'Bearer {secret}' } },
  replies: { rules: [{ status: 200, outcome: 'accepted', ref: 'id' }] },
  receipts: { in: 'json', ref: 'id', status: 'state', verdicts: { ok: 'success' } },
}
