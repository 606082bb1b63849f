export type {
  Dedupe,
  ManyCheckpoint,
  ManyMessage,
  ManyOptions,
  ManyOutcome,
  ManyPart,
  ManyProgress,
  ManyReport,
} from './bulk/bulk-types.ts'
export { parseCallback, type RawCallback, type VerifyOptions, verifyCallback } from './callbacks/callback.ts'
export { CallbackError } from './callbacks/callback-error.ts'
export {
  type CallbackHandler,
  type CallbackHandlerOptions,
  callbackHandler,
  type HandleCallback,
} from './callbacks/callback-handler.ts'
export { type NodeRequest, type NodeResponse, toNodeHandler } from './callbacks/node-handler.ts'
export { type CallbackHeaders, signCallback } from './callbacks/sign-callback.ts'
export type { CallbackSecret, RawBody } from './callbacks/signature.ts'
export type { Answer, Call } from './calls/call.ts'
export { type Client, createClient } from './client.ts'
export {
  AbortedError,
  AuthenticationError,
  ConnectionError,
  GatewayError,
  InsufficientFundsError,
  NotFoundError,
  type RateLimit,
  RateLimitError,
  TimeoutError,
  ValidationError,
  WigwagError,
} from './errors.ts'
export type { FetchInit, FetchResponse } from './fetch.ts'
export type {
  Balance,
  BulkSmsMessage,
  CallbackPayload,
  DeliveryInsights,
  ErrorCode,
  Estimate,
  EstimateRequest,
  FieldError,
  Message,
  MessageFilter,
  Rates,
  Recipient,
  ScheduleRequest,
  ScheduleResult,
  SendResult,
  SmsMessage,
  Status,
  Transaction,
} from './generated/models.ts'
export type { OperationId } from './operations.ts'
export type { CallOptions, ClientOptions, Clock, Credentials, Resend } from './options.ts'
export type { Pages } from './paging.ts'
export type { WaitOptions } from './wait.ts'
export type { Hooks, Logger, RequestEvent, ResponseEvent } from './watch.ts'
