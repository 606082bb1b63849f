import { PROOF_REFUSALS, proofSheet } from '../../pages/widgets/proof.ts'
import { placeOf } from './places.ts'
import type { Page, Visit } from './visit.ts'

export interface ProofRequest {
  /** Where the form goes that waits for it. */
  action: string
  form: URLSearchParams
  /** Why what was shown did not do. */
  refused: 'wrong' | 'locked' | undefined
}

/** Asks who the operator is before a form is taken. */
export function proofPage({ form: ticket }: Visit, { action, form, refused }: ProofRequest): Page {
  return {
    title: 'Is it you?',
    place: placeOf(action),
    middle: true,
    status: refused === 'locked' ? 429 : 401,
    body: proofSheet({
      ...{ ticket, action, form, by: 'factor', options: '/passkey/prove', leave: '/' },
      error: refused && PROOF_REFUSALS[refused],
    }),
  }
}
