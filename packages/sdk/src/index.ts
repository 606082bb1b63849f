export type { AtOnce } from './at-once.ts'
export type {
  Dedupe,
  ManyCheckpoint,
  ManyMessage,
  ManyOptions,
  ManyOutcome,
  ManyPart,
  ManyProgress,
  ManyReport,
  Outcome,
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
  type CallFacts,
  ConnectionError,
  type GatewayAnswer,
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
  Allowance,
  Balance,
  BulkSmsMessage,
  Callback,
  CallbackAttempt,
  CallbackFilter,
  CallbackPage,
  CallbackPayload,
  CallbackState,
  DeliveryInsights,
  Encoding,
  ErrorCode,
  Estimate,
  EstimateRequest,
  FieldError,
  FoundMessage,
  InsightRow,
  InsightsQuery,
  Key,
  KeyList,
  KnownStatus,
  LedgerEntry,
  LedgerFilter,
  LedgerPage,
  Message,
  MessageFilter,
  MessagePage,
  NetworkRate,
  NewerStatus,
  Rates,
  Recipient,
  ReplayRequest,
  ReplayResult,
  RotatedKey,
  RotateKeyRequest,
  ScheduledFilter,
  ScheduledMessage,
  ScheduledPage,
  ScheduleRequest,
  ScheduleResult,
  SenderId,
  SenderIdList,
  SenderIdRequest,
  SendResult,
  SentBy,
  SmsMessage,
  Status,
  TimelineEntry,
  Transaction,
} from './generated/models.ts'
export type { OperationId } from './operations.ts'
export type { CallOptions, ClientOptions, Clock, Credentials, Resend } from './options.ts'
export type { AnyPage, Pages } from './paging.ts'
export { type FinalStatus, isFinal } from './status.ts'
export type { WaitOptions } from './wait.ts'
export type { Hooks, Logger, RequestEvent, ResponseEvent } from './watch.ts'
