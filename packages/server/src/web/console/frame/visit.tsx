import type { Right } from '../../../accounts/people/index.ts'
import { Problem } from '../../../kernel/errors.ts'
import type { WalletPrincipal } from '../../../kernel/principal.ts'
import type { FormTicket } from '../../../net/pages/forms.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import type { PageContext, ReplyOptions } from '../../../net/pages/reply.ts'
import type { Person, Self } from '../../../sign-in/portal/index.ts'
import type { PlaceId } from './rail.ts'

/** A request of a person who is signed in. */
export interface Visit {
  c: PageContext
  person: Person
  /** The person as who changes what they sign in with. */
  self: Self
  /** The person as a caller of the operations. */
  principal: WalletPrincipal
  /** Whether the person has a right in the account. */
  may(right: Right): boolean
  /** The hidden field of every form on the page. */
  form: FormTicket
}

/** The parts of a page that it sets itself; the frame adds the rest. */
export interface PageContent {
  title: string
  place: PlaceId
  body: Markup
  /** Whether it needs the script of the pages that send, or of those on which people show who they are. */
  script?: 'send' | 'proof'
  /** For pages of forms and text: no wider than is good to read. */
  middle?: boolean
}

/** A page to show in the frame. */
export interface Page extends PageContent, ReplyOptions {}

/** Waits for something of the wallet; undefined when there is no such thing, or when it is not the wallet's. */
export async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return undefined
    throw error
  }
}

/** The page in place of one that is not there. It says the same of what is another account's. */
export function missingPage({ what, place }: { what: string; place: PlaceId }): Page {
  return {
    title: `No such ${what}`,
    place,
    status: 404,
    middle: true,
    body: (
      <section class="sheet">
        <h1>There is no such {what}</h1>
        <p>It was never here, or it is not one of this wallet. Check the address.</p>
      </section>
    ),
  }
}
