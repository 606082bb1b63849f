export { formatAmount, fromDecimal, type Micros, micros, parseAmount, toDecimal, ZERO } from './money.ts'
export {
  isAllowed,
  isRecipientRule,
  parseRules,
  RECIPIENT_RULE,
  readRecipientRules,
  splitRecipientRules,
} from './recipient-rules.ts'
export { isWebUrl, shownUrl } from './web-url.ts'
