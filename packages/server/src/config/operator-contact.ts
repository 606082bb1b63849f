import { isWebUrl } from '@wigwag/contract'
import type { OperatorContact } from '../kernel/operator-contact.ts'
import { isEmail } from '../kernel/text/entered.ts'
import { ConfigError, names, type SettingName } from './setting-values.ts'

const LONGEST_NAME = 60
const LONGEST_CONTACT = 200
const PHONE = /^\+?\d[\d ()-]{3,24}\d$/

/** Who runs the gateway, as its pages tell customers. */
export function operatorContact(text: (name: SettingName) => string | undefined): OperatorContact {
  return { name: nameOf(text('operatorName')), contact: contactOf(text('operatorContact')) }
}

function nameOf(given: string | undefined): string | undefined {
  const name = given?.trim()
  if (name === undefined || (name !== '' && name.length <= LONGEST_NAME && !/[\p{Cc}\p{Cf}]/u.test(name)))
    return name
  throw new ConfigError(
    `${names.operatorName}: expected a name of 1 to ${LONGEST_NAME} visible characters such as Acme SMS, got ${JSON.stringify(given?.slice(0, LONGEST_NAME))}.`,
  )
}

function contactOf(given: string | undefined): string | undefined {
  if (given === undefined) return undefined
  const text = given.trim()
  if (text.length <= LONGEST_CONTACT) {
    const [, address = text] = /^mailto:(.*)$/s.exec(text) ?? []
    if (isEmail(address) && !/[:/]/.test(address))
      return `mailto:${encodeURIComponent(address).replaceAll('%40', '@')}`
    const [, number = text] = /^tel:(.*)$/s.exec(text) ?? []
    if (PHONE.test(number)) return `tel:${number.replace(/[^+\d]/g, '')}`
    if (text.startsWith('https:') && isWebUrl(text)) return new URL(text).href
  }
  throw new ConfigError(
    `${names.operatorContact}: expected an e-mail such as help@example.com, a phone number such as +233301234567 or an address such as https://example.com/help, got ${JSON.stringify(given.slice(0, LONGEST_CONTACT))}.`,
  )
}
