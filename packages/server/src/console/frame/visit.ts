import type { Right } from '../../people/index.ts'
import type { WalletPrincipal } from '../../platform/http/principal.ts'
import type { FormTicket } from '../../platform/pages/forms.ts'
import type { Markup } from '../../platform/pages/markup.ts'
import type { PageContext, ReplyOptions } from '../../platform/pages/reply.ts'
import type { Person, Self } from '../../portal/index.ts'
import type { PlaceId } from './places.ts'

/** A request of a person who is signed in. */
export interface Visit {
  c: PageContext
  person: Person
  /** The person as who changes what they sign in with. */
  self: Self
  /** The person as a caller of the operations. */
  principal: WalletPrincipal
  /** What the person may do in the account. */
  may(right: Right): boolean
  /** The hidden field of every form on the page. */
  form: FormTicket
}

/** What a page says of itself; the frame adds the rest. */
export interface PageParts {
  title: string
  place: PlaceId
  body: Markup
  /** Whether it needs the script of the pages that send, or of those on which people show who they are. */
  script?: 'send' | 'proof'
  /** For pages of forms and text: no wider than is good to read. */
  middle?: boolean
}

/** A page to show in the frame. */
export interface Page extends PageParts, ReplyOptions {}
