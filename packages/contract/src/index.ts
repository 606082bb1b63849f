export { whenNpmIsGone } from './below-npm.ts'
export { type Clock, systemClock } from './clock.ts'
export { counted, span } from './counted.ts'
export { KEY_FORM, SENDER_FORM, URL_FORM } from './forms.ts'
export { isLoopback, isLoopbackHost, LOOPBACK_NAMES, namesOf } from './loopback.ts'
export { type Mismatch, mismatchOf, valueAt } from './mismatch.ts'
export {
  formatAmount,
  fromDecimal,
  type Micros,
  MOST_MICROS,
  micros,
  microsOfSum,
  parseAmount,
  toDecimal,
  ZERO,
} from './money.ts'
export { nodeTooOld } from './node-version.ts'
export { pauseBy } from './pause.ts'
export {
  isAllowed,
  isRecipientRule,
  parseRules,
  RECIPIENT_RULE,
  readRecipientRules,
  splitRecipientRules,
} from './recipient-rules.ts'
export { Silence } from './silence.ts'
export { readContent } from './text/content.ts'
export { GSM_ALPHABET, GSM_ESCAPE, GSM_EXTENSION } from './text/gsm-alphabet.ts'
export {
  EXPECTED_NUMBER,
  isRecipientNumber,
  RECIPIENT_FORM,
  recipientDigits,
  wrongNumber,
} from './text/recipient.ts'
export {
  beyondGsm,
  fillOf,
  MAX_SEGMENTS,
  partsOf,
  type Segmentation,
  segmentsOf,
  type WrongText,
  wrongText,
} from './text/segments.ts'
export { asSentence } from './text/sentence.ts'
export { visible, visibleJson, visibleLines } from './text/visible.ts'
export { isUnasked, UNASKED, type Unasked } from './unasked.ts'
export { isWebUrl, shownUrl } from './web-url.ts'
