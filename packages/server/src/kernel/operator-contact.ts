/** How customers reach who runs the gateway. */
export interface OperatorContact {
  name: string | undefined
  /** `mailto:…`, `tel:…` or `https://…` */
  contact: string | undefined
}

/** The contact as people read it. */
export function shownContact(contact: string): string {
  // An address was encoded when it was read; others are shown as they are.
  if (contact.startsWith('mailto:')) return decodeURIComponent(contact.slice('mailto:'.length))
  return contact.replace(/^tel:/, '').replace(/^https:\/\/(.*?)\/?$/, '$1')
}

/** The operator in the middle of a sentence: `Acme SMS (help@acme.example)`. */
export function operatorWords({ name, contact }: OperatorContact): string {
  const who = name ?? 'the operator of this service'
  return contact === undefined ? who : `${who} (${shownContact(contact)})`
}
