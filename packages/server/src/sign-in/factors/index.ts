/**
 * How people show who they are: passkeys, codes of a generator, recovery codes, and links that are good once. They belong
 * to an owner, whoever that is. Start with `passkeys.ts` and `codes.ts`.
 */

export { type CodeResult, Codes, makeRecoveryCodes, pruneWrongCodes } from './codes.ts'
export {
  countFactors,
  type FactorCount,
  type Factors,
  factorsOf,
  forgetFactors,
  hasFactor,
  makeLink,
  type Owner,
  ownerOfLink,
  pruneLinks,
  removeGenerator,
  removePasskey,
  renamePasskey,
  useLink,
} from './owner.ts'
export {
  addPasskey,
  type NewPasskey,
  Passkeys,
  pruneChallenges,
  type Site,
  siteOf,
  takesPasskeys,
} from './passkeys.ts'
export { newTotpSecret, otpauthUrl } from './totp.ts'
