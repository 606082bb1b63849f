export {
  isAllowed,
  isRecipientRule,
  parseRules,
  RECIPIENT_RULE,
  readRecipientRules,
  splitRecipientRules,
} from '@wigwag/contract'
