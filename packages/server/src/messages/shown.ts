import { partOfNumber } from '../kernel/phone/phone.ts'
import type { Principal } from '../kernel/principal.ts'

/** The fields of a row that tell what was said to whom. */
interface Telling {
  content?: string
  recipient?: string
  reference?: string
  callbackUrl?: string | null
}

/** A row as the caller may see it: for who does not see texts without them, and without the end of a number. */
export function shownTo<Row extends Telling>(
  { withoutTexts }: Pick<Principal, 'withoutTexts'>,
  row: Row,
): Row {
  if (!withoutTexts) return row
  const { content, recipient, reference, callbackUrl } = row
  return {
    ...row,
    ...(content !== undefined && { content: '' }),
    ...(recipient !== undefined && { recipient: partOfNumber(recipient) }),
    // Clients may put either into these too.
    ...(reference !== undefined && { reference: '' }),
    ...(callbackUrl !== undefined && { callbackUrl: null }),
  }
}
