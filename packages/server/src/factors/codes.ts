import type { EpochMs } from '../domain/ids.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import { insertRows } from '../platform/database/rows.ts'
import type { Sealer } from '../platform/secrets/sealing.ts'
import { isOf, type Owner } from './owner.ts'
import { useRecoveryCode } from './recovery-codes.ts'
import { isTotpSecret, matchingStep } from './totp.ts'
import { clearWrong, countWrong, type Guess, lockedUntil, takeCodeTurn } from './wrong-codes.ts'

export interface CodeParts {
  database: Database
  /** The real time: generators know of no other. */
  clock: Pick<Clock, 'now'>
  sealer: Sealer
  newId(now: EpochMs): string
}

export type CodeResult =
  | { kind: 'right'; by: 'code' | 'recovery code' }
  /** Wrong, used before, or nobody's: indistinguishable. */
  | { kind: 'wrong' }
  /** There were too many wrong codes for this name, whether or not it is somebody's, or from this network. */
  | { kind: 'locked'; until: EpochMs }

/** Codes of a generator, and recovery codes in their place. */
export interface Codes {
  /** Takes a generator's secret for an owner who showed a code of it; false when the code is wrong. */
  add(tx: Tx, owner: Owner, secret: string, code: string): Promise<boolean>
  /** Checks a code of a generator, or a recovery code, and uses it up. */
  check(guess: Guess, code: string): Promise<CodeResult>
  /** Takes recovery codes alone. They are too long to be guessed, so wrong ones are not counted. */
  recover(owner: Owner | undefined, code: string): Promise<CodeResult>
}

/** Has no codes. They are looked for like anybody's, so that both answers take as long. */
const NOBODY: Owner = { kind: 'operator', id: '' }

export function createCodes({ database, clock, sealer, newId }: CodeParts): Codes {
  async function isGeneratorCode(tx: Tx, owner: Owner, code: string): Promise<boolean> {
    const { db, t, run } = tx
    const [generator] = await db.select().from(t.codeGenerators).where(isOf(t.codeGenerators, owner))
    if (!generator) return false
    const secret = sealer.open(generator.sealed, { table: 'code_generators', key: generator.id })
    const step = matchingStep(secret, code, clock.now(), generator.lastStep)
    if (step === undefined) return false
    const used = await run(
      'UPDATE code_generators SET last_step = $1 WHERE id = $2 AND last_step < $3 RETURNING id',
      [step, generator.id, step],
    )
    return used.length > 0
  }

  return {
    async add(tx, owner, secret, code) {
      const now = clock.now()
      const step = isTotpSecret(secret) ? matchingStep(secret, plain(code), now, 0) : undefined
      if (step === undefined) return false
      const { db, t } = tx
      await db.delete(t.codeGenerators).where(isOf(t.codeGenerators, owner))
      const id = newId(now)
      const sealed = await sealer.seal(tx, secret, { table: 'code_generators', key: id })
      const { kind: ownerKind, id: ownerId } = owner
      await insertRows(tx, t.codeGenerators, [
        { id, ownerKind, ownerId, sealed, lastStep: step, createdAt: now },
      ])
      return true
    },

    check: (guess, code) =>
      database.write(async (tx): Promise<CodeResult> => {
        await takeCodeTurn(tx)
        const { owner } = guess
        const now = clock.now()
        // No lock holds up a recovery code: a stranger who guesses can't lock its owner out.
        if (owner && (await useRecoveryCode(tx, owner, code, now))) {
          await clearWrong(tx, guess)
          return { kind: 'right', by: 'recovery code' }
        }
        const until = await lockedUntil(tx, guess, now)
        if (until !== undefined) return { kind: 'locked', until }
        if (owner && (await isGeneratorCode(tx, owner, plain(code)))) {
          await clearWrong(tx, guess)
          return { kind: 'right', by: 'code' }
        }
        await countWrong(tx, guess, { id: newId(now), now })
        return { kind: 'wrong' }
      }),

    recover: (owner = NOBODY, code) =>
      database.write(async (tx): Promise<CodeResult> => {
        const isRight = await useRecoveryCode(tx, owner, code, clock.now())
        return isRight ? { kind: 'right', by: 'recovery code' } : { kind: 'wrong' }
      }),
  }
}

/** Apps show a code with a gap in the middle. */
function plain(code: string): string {
  return code.replaceAll(/\s/g, '')
}
