import type { EpochMs } from '../../domain/ids.ts'
import { proofSheet } from '../../pages/widgets/proof.ts'
import { codeHint, type Refused, refusedWords } from './codes.ts'
import { placeOf } from './places.ts'
import type { Page, Visit } from './visit.ts'

export interface ProofRequest {
  /** Where the form goes that waits for it. */
  action: string
  form: URLSearchParams
  /** Why what was shown did not do. */
  refused: Refused | undefined
  /** Whether a generator's code does here. */
  generators: boolean
  now: EpochMs
}

/** Asks who the operator is before a form is taken. */
export function proofPage({ form: ticket }: Visit, request: ProofRequest): Page {
  const { action, form, refused, generators, now } = request
  return {
    title: 'Is it you?',
    place: placeOf(action),
    middle: true,
    status: refused?.kind === 'locked' ? 429 : 401,
    body: proofSheet({
      ...{ ticket, action, form, by: 'factor', options: '/passkey/prove', leave: '/' },
      codes: codeHint(generators),
      error: refused && `${refusedWords(refused, now, 'That did not fit.')} Nothing was done yet.`,
    }),
  }
}
