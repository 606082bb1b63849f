export { type BearerIdentifyOptions, createBearerIdentify } from './bearer-identify.ts'
export type { DelegatedAccess } from './delegated-clients.ts'
export { createTokenExchange } from './token-exchange.ts'
export {
  type Assistant,
  type DelegatedToken,
  SignInUnavailable,
  TokenEnded,
  type TokenService,
} from './token-service.ts'
