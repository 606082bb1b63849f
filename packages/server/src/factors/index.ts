/**
 * How people show who they are: passkeys, codes of a generator, recovery codes, and links that are good once. They belong
 * to an owner, whoever that is. Start with `passkeys.ts` and `codes.ts`.
 */

export { pruneChallenges } from './challenges.ts'
export { type CodeResult, createCodes } from './codes.ts'
export { makeLink, ownerOfLink, pruneLinks, useLink } from './links.ts'
export {
  countFactors,
  type FactorCount,
  type Factors,
  factorsOf,
  forgetFactors,
  hasFactor,
  removeGenerator,
  removePasskey,
  renamePasskey,
} from './of-owner.ts'
export type { Owner } from './owner.ts'
export { addPasskey, createPasskeys, type NewPasskey, type Passkeys } from './passkeys.ts'
export { makeRecoveryCodes } from './recovery-codes.ts'
export { type Site, siteOf, takesPasskeys } from './site.ts'
export { newTotpSecret, otpauthUrl } from './totp.ts'
export { pruneWrongCodes } from './wrong-codes.ts'
