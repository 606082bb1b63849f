import { proofSheet } from '../../pages/widgets/proof.ts'
import type { Refusal } from '../../portal/index.ts'
import { GROUPS, type PlaceId } from './places.ts'
import type { Page, Visit } from './visit.ts'

export interface ProofRequest {
  form: URLSearchParams
  /** What the person has to show. */
  by: 'password' | 'factor'
  /** Why what was shown did not do. */
  refused: Refusal | undefined
}

/** Asks who the person is before a form is taken, and carries the form along. */
export function proofPage({ c, form: ticket }: Visit, { form, by, refused }: ProofRequest): Page {
  const action = c.req.path
  return {
    title: 'Is it you?',
    place: placeOf(action),
    ...{ middle: true, script: 'proof' },
    status: refused?.status ?? 401,
    headers: refused?.retryAfter === undefined ? {} : { 'retry-after': String(refused.retryAfter) },
    body: proofSheet({
      ...{ ticket, action, form, by, options: '/passkey/prove', leave: `/${action.split('/')[1]}` },
      error: refused?.error,
    }),
  }
}

/** The place that a path belongs to. */
function placeOf(path: string): PlaceId {
  for (const { places } of GROUPS) {
    for (const [id, place] of Object.entries(places))
      if (path === place.path || path.startsWith(`${place.path}/`)) return id as PlaceId
  }
  return 'inbox'
}
