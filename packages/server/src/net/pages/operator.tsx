import { type OperatorContact, shownContact } from '../../kernel/operator-contact.ts'
import type { Markup } from './markup.ts'

/** The operator in the middle of a sentence, with a link to reach them by. */
export function theOperator({ name, contact }: OperatorContact): Markup {
  return (
    <>
      {name === undefined ? 'the operator of this service' : <bdi>{name}</bdi>}
      {contact !== undefined && <> ({contactLink(contact)})</>}
    </>
  )
}

/** Says at the foot of a page who runs the service. */
export function operatorFoot({ name, contact }: OperatorContact): Markup | false {
  if (name === undefined && contact === undefined) return false
  return (
    <p class="soft small operator">
      {name === undefined ? (
        <>Questions about this service: {contact !== undefined && contactLink(contact)}</>
      ) : (
        <>
          This service is run by <bdi>{name}</bdi>
          {contact === undefined ? '.' : <>: {contactLink(contact)}</>}
        </>
      )}
    </p>
  )
}

function contactLink(contact: string): Markup {
  return <a href={contact}>{shownContact(contact)}</a>
}
