import type { Micros, Unasked } from '@wigwag/contract'
import * as pg from 'drizzle-orm/pg-core'
import type { EpochMs, Ticket } from '../../domain/ids.ts'
import type { Status } from '../../domain/message.ts'

/** Whose a passkey or a code is. */
export type OwnerKind = 'operator' | 'person'
/** What somebody may do in an account. */
export type Role = 'owner' | 'sender' | 'developer' | 'viewer'
/** Who asks for a second factor of everybody in an account; `optional` for nobody. */
export type SecondFactor = 'optional' | 'owner' | 'operator'
/** Whether a person is in, or what is still asked of them: to show a second factor, or to get one. */
export type SessionState = 'in' | 'show' | 'get'
/** What somebody signed in with. */
export type SessionProof = 'password' | 'passkey' | 'code' | 'recovery code' | 'link' | 'sandbox'
/** `look` sees everything at the desk, `act` may also change it. */
export type OperatorRole = 'look' | 'act'
/** What a passkey is asked for. */
export type ChallengePurpose = 'register' | 'sign-in' | 'prove'

export const JOB_KINDS = ['scheduled', 'dispatch', 'await', 'callback'] as const
export type JobKind = (typeof JOB_KINDS)[number]

/** The jobs that wait for a place: their owners take turns. Those that wait for a time are as one owner's. */
export const KINDS_IN_TURN: readonly JobKind[] = ['dispatch', 'callback']

/** The two kinds of columns, which both engines have. */
const text = <T extends string = string>() => pg.text().$type<T>()
const bigint = <T extends number = number>() => pg.bigint({ mode: 'number' }).$type<T>()

/**
 * Every table, in PostgreSQL's form for both engines: queries built from it run on SQLite as well. Defaults, constraints
 * and indexes are in `migrations/`.
 */
export const tables = {
  accounts: pg.pgTable('accounts', {
    id: text().primaryKey(),
    name: text().notNull(),
    email: text().notNull(),
    status: text<'active' | 'suspended'>().notNull(),
    statusAt: bigint<EpochMs>().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
    secondFactor: text<SecondFactor>().notNull(),
    assistantsSpend: bigint<Micros>(),
    assistantsMessages: bigint(),
  }),
  people: pg.pgTable('people', {
    id: text().primaryKey(),
    email: text().notNull(),
    passwordHash: text(),
    createdAt: bigint<EpochMs>().notNull(),
  }),
  memberships: pg.pgTable('memberships', {
    accountId: text().notNull(),
    personId: text().notNull(),
    role: text<Role>().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
    createdBy: text().notNull(),
    endedAt: bigint().notNull(),
    assistantsSpend: bigint<Micros>(),
    assistantsMessages: bigint(),
  }),
  personEvents: pg.pgTable('person_events', {
    id: text().primaryKey(),
    type: text<'person.factor_added' | 'person.recovery_code_used'>().notNull(),
    accountId: text().notNull(),
    personId: text().notNull(),
    factor: text().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
  }),
  invitations: pg.pgTable('invitations', {
    secretHash: text().primaryKey(),
    accountId: text().notNull(),
    email: text().notNull(),
    role: text<Role>().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
    createdBy: text().notNull(),
    expiresAt: bigint<EpochMs>().notNull(),
  }),
  clients: pg.pgTable('clients', {
    id: text().primaryKey(),
    accountId: text().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
    toolsUsedAt: bigint().notNull(),
  }),
  keys: pg.pgTable('keys', {
    id: text().primaryKey(),
    accountId: text().notNull(),
    kind: text<'client' | 'wallet' | 'callback'>().notNull(),
    ownerId: text().notNull(),
    stored: text().notNull(),
    ending: text().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
    usedAt: bigint().notNull(),
    endsAt: bigint().notNull(),
  }),
  wallets: pg.pgTable('wallets', {
    id: text().primaryKey(),
    accountId: text().notNull(),
    currency: text().notNull(),
    posted: bigint<Micros>().notNull(),
    held: bigint<Micros>().notNull(),
    entries: bigint().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
  }),
  ledger: pg.pgTable('ledger', {
    walletId: text().notNull(),
    seq: bigint().notNull(),
    kind: text<'credit' | 'post'>().notNull(),
    amount: bigint<Micros>().notNull(),
    balanceBefore: bigint<Micros>().notNull(),
    balanceAfter: bigint<Micros>().notNull(),
    messageId: text<Ticket>(),
    createdAt: bigint<EpochMs>().notNull(),
  }),
  ledgerReferences: pg.pgTable('ledger_references', {
    walletId: text().notNull(),
    reference: text().notNull(),
    seq: bigint().notNull(),
  }),
  walletWarnings: pg.pgTable('wallet_warnings', {
    walletId: text().primaryKey(),
    threshold: bigint<Micros>().notNull(),
    lowSince: bigint().notNull(),
  }),
  lowWalletEvents: pg.pgTable('low_wallet_events', {
    id: text().primaryKey(),
    walletId: text().notNull(),
    available: bigint<Micros>().notNull(),
    threshold: bigint<Micros>().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
  }),
  senderIds: pg.pgTable('sender_ids', {
    accountId: text().notNull(),
    sender: text().notNull(),
    status: text<'approved' | 'pending' | 'rejected'>().notNull(),
    /** Why it was rejected, for the customer. */
    reason: text(),
    createdAt: bigint<EpochMs>().notNull(),
  }),
  rates: pg.pgTable('rates', {
    country: text().notNull(),
    mcc: text().notNull(),
    mnc: text().notNull(),
    network: text().notNull(),
    price: bigint<Micros>().notNull(),
    currency: text().notNull(),
  }),
  settings: pg.pgTable('settings', { name: text().primaryKey(), value: text().notNull() }),
  messages: pg.pgTable('messages', {
    id: text<Ticket>().primaryKey(),
    accountId: text().notNull(),
    walletId: text().notNull(),
    sender: text().notNull(),
    recipient: text().notNull(),
    content: text().notNull(),
    reference: text().notNull(),
    callbackUrl: text(),
    status: text<Status>().notNull(),
    encoding: text<'GSM-7' | 'UCS-2'>().notNull(),
    segments: bigint().notNull(),
    country: text().notNull(),
    network: text(),
    price: bigint<Micros>().notNull(),
    cost: bigint<Micros>().notNull(),
    balanceBefore: bigint<Micros>().notNull(),
    balanceAfter: bigint<Micros>().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
    sendAt: bigint().notNull(),
    dueAt: bigint().notNull(),
    submittedAt: bigint().notNull(),
    effectedAt: bigint<EpochMs>().notNull(),
    carrier: text(),
    carrierRef: text(),
    failureReason: text(),
    recipientKey: bigint(),
    senderKey: bigint(),
    /** Who sent it; null when it was accepted before this was stored. */
    sentBy: text(),
  }),
  hourlyTotals: pg.pgTable('hourly_totals', {
    walletId: text().notNull(),
    hour: bigint().notNull(),
    country: text().notNull(),
    network: text().notNull(),
    sent: bigint().notNull(),
    delivered: bigint().notNull(),
    failed: bigint().notNull(),
    spend: bigint<Micros>().notNull(),
  }),
  outbox: pg.pgTable('outbox', {
    id: text().primaryKey(),
    kind: text<JobKind>().notNull(),
    runAt: bigint().notNull(),
    leaseUntil: bigint().notNull(),
    lapsed: bigint<0 | 1>().notNull(),
    epoch: bigint().notNull(),
    attempts: bigint().notNull(),
    carrierRef: text(),
    submittedAt: bigint().notNull(),
    expiresAt: bigint().notNull(),
    faults: bigint().notNull(),
    lane: text().notNull(),
    handedAt: bigint().notNull(),
    longRef: bigint(),
    owner: text().notNull(),
  }),
  traces: pg.pgTable('traces', {
    messageId: text().primaryKey(),
    parent: text().notNull(),
    endsAt: bigint().notNull(),
  }),
  carrierRefs: pg.pgTable('carrier_refs', {
    carrier: text().notNull(),
    ref: text().notNull(),
    messageId: text<Ticket>(),
    part: bigint().notNull(),
    parts: bigint().notNull(),
    verdict: text(),
    reason: text(),
    at: bigint<EpochMs>().notNull(),
    folded: text(),
    recipient: text(),
    keepUntil: bigint(),
  }),
  carrierTotals: pg.pgTable('carrier_totals', {
    carrier: text().notNull(),
    hour: bigint().notNull(),
    country: text().notNull(),
    network: text().notNull(),
    parts: bigint().notNull(),
    cost: bigint<Micros>().notNull(),
  }),
  carrierPauses: pg.pgTable('carrier_pauses', {
    carrier: text().primaryKey(),
    at: bigint<EpochMs>().notNull(),
  }),
  carrierReports: pg.pgTable('carrier_reports', {
    process: text().primaryKey(),
    at: bigint<EpochMs>().notNull(),
    report: text().notNull(),
  }),
  lateReceipts: pg.pgTable('late_receipts', {
    id: text().primaryKey(),
    messageId: text<Ticket>().notNull(),
    carrierRef: text().notNull(),
    status: text().notNull(),
    receivedAt: bigint<EpochMs>().notNull(),
  }),
  callbacks: pg.pgTable('callbacks', {
    id: text().primaryKey(),
    accountId: text().notNull(),
    walletId: text().notNull(),
    messageId: text<Ticket>().notNull(),
    url: text().notNull(),
    state: text<'pending' | 'delivered' | 'dead'>().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
    replayDay: bigint().notNull(),
    replays: bigint().notNull(),
  }),
  callbackAttempts: pg.pgTable('callback_attempts', {
    callbackId: text().notNull(),
    seq: bigint().notNull(),
    startedAt: bigint<EpochMs>().notNull(),
    latencyMs: bigint().notNull(),
    httpStatus: bigint(),
    errorClass: text(),
    reply: text(),
  }),
  idempotency: pg.pgTable('idempotency', {
    scope: text().primaryKey(),
    fingerprint: text().notNull(),
    response: text().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
  }),
  connectorSends: pg.pgTable('connector_sends', {
    id: text().primaryKey(),
    clientId: text().notNull(),
    at: bigint<EpochMs>().notNull(),
    digest: text().notNull(),
    key: text(),
    ticket: text(),
    attempts: bigint().notNull(),
    failures: bigint().notNull(),
  }),
  schedulers: pg.pgTable('schedulers', {
    messageId: text().primaryKey(),
    connectionId: text().notNull(),
    sendAt: bigint().notNull(),
  }),
  connectorDays: pg.pgTable('connector_days', {
    clientId: text().primaryKey(),
    day: bigint().notNull(),
    messages: bigint().notNull(),
    spent: bigint<Micros>().notNull(),
  }),
  audit: pg.pgTable('audit', {
    id: text().primaryKey(),
    at: bigint<EpochMs>().notNull(),
    actor: text().notNull(),
    action: text().notNull(),
    accountId: text(),
    detail: text().notNull(),
  }),
  auditFailures: pg.pgTable('audit_failures', {
    action: text().notNull(),
    accountId: text().notNull(),
    hour: bigint().notNull(),
    failures: bigint().notNull(),
    lastAt: bigint<EpochMs>().notNull(),
    detail: text().notNull(),
  }),
  connections: pg.pgTable('connections', {
    id: text().primaryKey(),
    accountId: text().notNull(),
    personId: text().notNull(),
    walletId: text().notNull(),
    grantId: text().notNull(),
    clientId: text().notNull(),
    clientName: text().notNull(),
    redirectHost: text().notNull(),
    canSend: bigint<0 | 1>().notNull(),
    dailySpend: bigint<Micros>().notNull(),
    dailyMessages: bigint().notNull(),
    recipients: text(),
    unasked: text<Unasked>().notNull(),
    day: bigint().notNull(),
    daySpend: bigint<Micros>().notNull(),
    dayMessages: bigint().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
    lastUsedAt: bigint().notNull(),
    endedAt: bigint().notNull(),
  }),
  delegatedTokens: pg.pgTable('delegated_tokens', {
    tokenHash: text().primaryKey(),
    connectionId: text().notNull(),
    canSend: bigint<0 | 1>().notNull(),
    expiresAt: bigint<EpochMs>().notNull(),
  }),
  oauthRecords: pg.pgTable('oauth_records', {
    model: text().notNull(),
    id: text().notNull(),
    payload: text().notNull(),
    grantId: text(),
    createdAt: bigint<EpochMs>().notNull(),
    expiresAt: bigint().notNull(),
    consumedAt: bigint().notNull(),
  }),
  oauthKeys: pg.pgTable('oauth_keys', {
    id: text().primaryKey(),
    purpose: text<'sign' | 'cookie'>().notNull(),
    sealed: text().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
  }),
  connectors: pg.pgTable('connectors', {
    id: text().primaryKey(),
    resource: text().notNull(),
    secret: text().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
  }),
  portalSessions: pg.pgTable('portal_sessions', {
    tokenHash: text().primaryKey(),
    personId: text().notNull(),
    accountId: text().notNull(),
    state: text<SessionState>().notNull(),
    proof: text<SessionProof>().notNull(),
    address: text().notNull(),
    browser: text().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
    usedAt: bigint<EpochMs>().notNull(),
    provenAt: bigint<EpochMs>().notNull(),
    expiresAt: bigint<EpochMs>().notNull(),
  }),
  signInAttempts: pg.pgTable('sign_in_attempts', {
    id: text().primaryKey(),
    at: bigint<EpochMs>().notNull(),
    emailHash: text().notNull(),
    address: text().notNull(),
    failed: bigint<0 | 1>().notNull(),
  }),
  operators: pg.pgTable('operators', {
    id: text().primaryKey(),
    name: text().notNull(),
    role: text<OperatorRole>().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
    endedAt: bigint().notNull(),
  }),
  operatorSessions: pg.pgTable('operator_sessions', {
    tokenHash: text().primaryKey(),
    operatorId: text().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
    usedAt: bigint<EpochMs>().notNull(),
    provenAt: bigint<EpochMs>().notNull(),
    expiresAt: bigint<EpochMs>().notNull(),
  }),
  passkeys: pg.pgTable('passkeys', {
    id: text().primaryKey(),
    ownerKind: text<OwnerKind>().notNull(),
    ownerId: text().notNull(),
    name: text().notNull(),
    publicKey: text().notNull(),
    counter: bigint().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
    usedAt: bigint().notNull(),
  }),
  codeGenerators: pg.pgTable('code_generators', {
    id: text().primaryKey(),
    ownerKind: text<OwnerKind>().notNull(),
    ownerId: text().notNull(),
    sealed: text().notNull(),
    lastStep: bigint().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
  }),
  recoveryCodes: pg.pgTable('recovery_codes', {
    codeHash: text().primaryKey(),
    ownerKind: text<OwnerKind>().notNull(),
    ownerId: text().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
    usedAt: bigint().notNull(),
  }),
  oneTimeLinks: pg.pgTable('one_time_links', {
    secretHash: text().primaryKey(),
    ownerKind: text<OwnerKind>().notNull(),
    ownerId: text().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
    expiresAt: bigint<EpochMs>().notNull(),
  }),
  challenges: pg.pgTable('challenges', {
    challengeHash: text().primaryKey(),
    purpose: text<ChallengePurpose>().notNull(),
    ownerKind: text<OwnerKind>().notNull(),
    ownerId: text().notNull(),
    expiresAt: bigint<EpochMs>().notNull(),
  }),
  wrongCodes: pg.pgTable('wrong_codes', {
    id: text().primaryKey(),
    ownerKind: text<OwnerKind>().notNull(),
    nameHash: text().notNull(),
    at: bigint<EpochMs>().notNull(),
    network: text().notNull(),
  }),
}

export type Tables = typeof tables

/** What the subject of a job keeps in it, as a new job has it. The platform carries it along and reads none of it. */
export const NEW_WORK = {
  carrierRef: null,
  submittedAt: 0,
  handedAt: 0,
  longRef: null,
} as const satisfies Partial<Tables['outbox']['$inferSelect']>
