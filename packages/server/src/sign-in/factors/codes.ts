import { randomBytes } from 'node:crypto'
import type { Parts } from '../../flow/parts.ts'
import { type EpochMs, epochMs } from '../../kernel/ids.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { backoff, DAY_MS, MINUTE_MS } from '../../kernel/time/spans.ts'
import type { Tx } from '../../store/database.ts'
import { insertRows } from '../../store/rows.ts'
import type { OwnerKind } from '../../store/schema/schema.ts'
import type { Sealer } from '../../store/secrets/sealing.ts'
import { digestOf } from '../../store/secrets/tokens.ts'
import { writeSetting } from '../../store/settings.ts'
import { deleteSlice } from '../../store/slices.ts'
import { isOf, type Owner } from './owner.ts'
import { isTotpSecret, matchingStep } from './totp.ts'

export type CodeResult =
  | { kind: 'right'; by: 'code' | 'recovery code' }
  /** Wrong, used before, or nobody's: indistinguishable. */
  | { kind: 'wrong' }
  /** There were too many wrong codes for this name, whether or not it is somebody's, or from this network. */
  | { kind: 'locked'; until: EpochMs }

/** Has no codes. They are looked for like anybody's, so that both answers take as long. */
const NOBODY: Owner = { kind: 'operator', id: '' }

interface Generators extends Pick<Parts, 'database'> {
  /** The real time: generators know of no other. */
  clock: Pick<Clock, 'now'>
  sealer: Sealer
  newId(now: EpochMs): string
}

/** Codes of a generator, and recovery codes in their place. */
export class Codes {
  readonly #parts: Generators

  constructor(parts: Generators) {
    this.#parts = parts
  }

  /** Takes a generator's secret for an owner who showed a code of it; false when the code is wrong. */
  async add(tx: Tx, owner: Owner, secret: string, code: string): Promise<boolean> {
    const { clock, sealer, newId } = this.#parts
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
  }

  /** Checks a code of a generator, or a recovery code, and uses it up. */
  check(guess: Guess, code: string): Promise<CodeResult> {
    const { database, clock, newId } = this.#parts
    return database.write(async (tx): Promise<CodeResult> => {
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
      if (owner && (await this.#isGeneratorCode(tx, owner, plain(code)))) {
        await clearWrong(tx, guess)
        return { kind: 'right', by: 'code' }
      }
      await countWrong(tx, guess, { id: newId(now), now })
      return { kind: 'wrong' }
    })
  }

  /** Takes recovery codes alone. They are too long to be guessed, so wrong ones are not counted. */
  recover(owner: Owner | undefined, code: string): Promise<CodeResult> {
    const { database, clock } = this.#parts
    return database.write(async (tx): Promise<CodeResult> => {
      const isRight = await useRecoveryCode(tx, owner ?? NOBODY, code, clock.now())
      return isRight ? { kind: 'right', by: 'recovery code' } : { kind: 'wrong' }
    })
  }

  async #isGeneratorCode(tx: Tx, owner: Owner, code: string): Promise<boolean> {
    const { clock, sealer } = this.#parts
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
}

/** Apps show a code with a gap in the middle. */
function plain(code: string): string {
  return code.replaceAll(/\s/g, '')
}

const CODES = 10
/** Crockford's base 32: no letters that look alike, and a random byte picks each one equally often. */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz'
/** 80 bits, so that the digest of one can't be searched for. */
const LENGTH = 16

/** New codes for an owner, in place of all that were there. They are shown once. */
export async function makeRecoveryCodes(tx: Tx, owner: Owner, now: EpochMs): Promise<string[]> {
  const { db, t } = tx
  await db.delete(t.recoveryCodes).where(isOf(t.recoveryCodes, owner))
  const codes = Array.from({ length: CODES }, newCode)
  const rows = codes.map((code) => ({
    codeHash: digestOf(plainRecovery(code)),
    ownerKind: owner.kind,
    ownerId: owner.id,
    createdAt: now,
    usedAt: 0,
  }))
  await insertRows(tx, t.recoveryCodes, rows)
  return codes
}

/** Uses a code up. True for exactly one of several concurrent callers. */
async function useRecoveryCode({ run }: Tx, owner: Owner, code: string, now: EpochMs): Promise<boolean> {
  const used = await run(
    `UPDATE recovery_codes SET used_at = $1
     WHERE code_hash = $2 AND owner_kind = $3 AND owner_id = $4 AND used_at = 0 RETURNING code_hash`,
    [now, digestOf(plainRecovery(code)), owner.kind, owner.id],
  )
  return used.length > 0
}

function newCode(): string {
  const letters = Array.from(randomBytes(LENGTH), (byte) => LETTERS.charAt(byte % 32)).join('')
  return letters.replace(/.{4}(?=.)/g, '$&-')
}

/** People may leave out the hyphens, and read a letter as a digit. */
function plainRecovery(code: string): string {
  return code
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replaceAll('o', '0')
    .replace(/[il]/g, '1')
}

/** So many are mistyped. Each further one is waited for twice as long. */
const MISTYPED = 5
const FIRST_WAIT_MS = 15 * MINUTE_MS
/** For so long a wrong code counts, so no wait is longer. */
const COUNTS_MS = DAY_MS
/**
 * For one name from wherever, and from one network for whatever names. Of a million codes three are right about now: so
 * many guesses a day find one in years.
 */
const MOST_A_DAY = 50

/** Whose code somebody tries, and from where. */
export interface Guess {
  kind: OwnerKind
  /** Undefined when nobody has the name. */
  owner: Owner | undefined
  name: string
  /** Undefined where only the name counts, because a stranger can't get so far. */
  network?: string
}

/** Locks one row that all who check codes share until the transaction ends: counting is serial across processes. */
function takeCodeTurn(tx: Tx): Promise<void> {
  return writeSetting(tx, 'code_turn', '')
}

/** When another code may be tried; undefined for now. */
async function lockedUntil({ run }: Tx, guess: Guess, now: EpochMs): Promise<EpochMs | undefined> {
  const { network = '' } = guess
  const nameHash = hashOf(guess)
  const rows = await run<{ at: EpochMs; nameHash: string; network: string }>(
    `SELECT at, name_hash AS "nameHash", network FROM wrong_codes
     WHERE owner_kind = $1 AND at > $2 AND (name_hash = $3 OR (network = $4 AND network <> '')) ORDER BY at DESC`,
    [guess.kind, now - COUNTS_MS, nameHash, network],
  )
  const ofName = rows.filter((row) => row.nameHash === nameHash)
  const fromNetwork = rows.filter((row) => row.network === network)
  const here = ofName.filter((row) => row.network === network)
  const until = Math.max(waitAfter(here), fullUntil(ofName), network === '' ? 0 : fullUntil(fromNetwork))
  return until > now ? epochMs(until) : undefined
}

/** After wrong codes for a name from one network, the newest first. */
function waitAfter(wrong: readonly { at: EpochMs }[]): number {
  const [newest] = wrong
  if (!newest || wrong.length < MISTYPED) return 0
  return newest.at + backoff(wrong.length - MISTYPED + 1, FIRST_WAIT_MS, COUNTS_MS)
}

function fullUntil(wrong: readonly { at: EpochMs }[]): number {
  const first = wrong[MOST_A_DAY - 1]
  return first ? first.at + COUNTS_MS : 0
}

function countWrong(tx: Tx, guess: Guess, { id, now }: { id: string; now: EpochMs }): Promise<void> {
  const { kind: ownerKind, network = '' } = guess
  return insertRows(tx, tx.t.wrongCodes, [{ id, ownerKind, nameHash: hashOf(guess), at: now, network }])
}

/** After a right code. Wrong ones from other networks still count. */
async function clearWrong({ run }: Tx, guess: Guess): Promise<void> {
  await run('DELETE FROM wrong_codes WHERE owner_kind = $1 AND name_hash = $2 AND network = $3', [
    guess.kind,
    hashOf(guess),
    guess.network ?? '',
  ])
}

/** Deletes a slice of those that no longer count. Returns whether there may be more. */
export function pruneWrongCodes(tx: Tx, now: EpochMs): Promise<boolean> {
  return deleteSlice(tx, {
    table: 'wrong_codes',
    key: 'id',
    where: 'at <= $1',
    values: [now - COUNTS_MS],
    orderBy: 'at',
  })
}

/** An owner is counted as such, however their name was typed. */
function hashOf({ owner, name }: Guess): string {
  return digestOf(owner ? `id:${owner.id}` : `name:${name.replaceAll('\0', '').trim().toLowerCase()}`)
}
