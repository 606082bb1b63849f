import type { EpochMs } from '../../domain/ids.ts'
import type { SignInResult } from '../../operators/index.ts'
import { waitUntil } from '../../platform/pages/times.ts'

/** Why what an operator showed did not do. */
export type Refused = Exclude<SignInResult, { kind: 'in' }>

/** What a code field takes. */
export function codeHint(generators: boolean): string {
  return generators
    ? 'From your code generator, or a recovery code.'
    : 'One of your recovery codes. Other machines reach this desk, so a generator’s code is not enough here.'
}

/** What a page says of a refusal; `wrong` is for what nobody has. */
export function refusedWords(refused: Refused, now: EpochMs, wrong: string): string {
  if (refused.kind === 'wrong') return wrong
  return `There were too many wrong codes. Wait for ${waitUntil(refused.until, now)}, or use a passkey or a recovery code.`
}
