import { type Micros, ZERO } from '@wigwag/contract'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import type { EpochMs, Ticket } from '../../domain/ids.ts'
import type { Status } from '../../domain/message.ts'

/** The column kinds that both engines share, as PostgreSQL builders. */
export const postgresColumns = {
  table: pg.pgTable,
  text: <T extends string = string>() => pg.text().$type<T>(),
  bigint: <T extends number = number>() => pg.bigint({ mode: 'number' }).$type<T>(),
}
export type Columns = typeof postgresColumns

/** Cast for the same reason as `sqliteQueries`: tables built for either engine work the same in queries. */
const sqliteColumns = {
  table: lite.sqliteTable,
  text: () => lite.text(),
  bigint: () => lite.integer(),
} as unknown as Columns

export type JobKind = 'scheduled' | 'dispatch' | 'await' | 'callback'

/** Every table, defined once for both engines. Constraints and indexes are in `migrations/`. */
function tables({ table, text, bigint }: Columns) {
  const accounts = table('accounts', {
    id: text().primaryKey(),
    name: text().notNull(),
    email: text().notNull(),
    passwordHash: text(),
    status: text<'active' | 'suspended'>().notNull(),
    callbackSecret: text().notNull(),
    callbackSecretPrevious: text(),
    callbackSecretRotatedAt: bigint().notNull().default(0),
    createdAt: bigint<EpochMs>().notNull(),
  })
  const clients = table('clients', {
    id: text().primaryKey(),
    accountId: text().notNull(),
    secretHash: text().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
  })
  const wallets = table('wallets', {
    id: text().primaryKey(),
    accountId: text().notNull(),
    tokenHash: text().notNull(),
    currency: text().notNull(),
    posted: bigint<Micros>().notNull(),
    held: bigint<Micros>().notNull(),
    entries: bigint().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
  })
  const ledger = table('ledger', {
    walletId: text().notNull(),
    seq: bigint().notNull(),
    kind: text<'credit' | 'post'>().notNull(),
    amount: bigint<Micros>().notNull(),
    balanceBefore: bigint<Micros>().notNull(),
    balanceAfter: bigint<Micros>().notNull(),
    messageId: text<Ticket>(),
    createdAt: bigint<EpochMs>().notNull(),
  })
  const senderIds = table('sender_ids', {
    accountId: text().notNull(),
    sender: text().notNull(),
    status: text<'approved' | 'pending' | 'rejected'>().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
  })
  const rates = table('rates', {
    country: text().notNull(),
    mcc: text().notNull(),
    mnc: text().notNull(),
    network: text().notNull(),
    price: bigint<Micros>().notNull(),
    currency: text().notNull(),
  })
  const settings = table('settings', { name: text().primaryKey(), value: text().notNull() })
  const messages = table('messages', {
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
    carrierRef: text(),
    failureReason: text(),
    recipientKey: bigint(),
    senderKey: bigint(),
  })
  const hourlyTotals = table('hourly_totals', {
    walletId: text().notNull(),
    hour: bigint().notNull(),
    country: text().notNull(),
    network: text().notNull(),
    sent: bigint().notNull(),
    delivered: bigint().notNull(),
    failed: bigint().notNull(),
    spend: bigint<Micros>().notNull(),
  })
  const outbox = table('outbox', {
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
  })
  const lateReceipts = table('late_receipts', {
    id: text().primaryKey(),
    messageId: text<Ticket>().notNull(),
    carrierRef: text().notNull(),
    status: text().notNull(),
    receivedAt: bigint<EpochMs>().notNull(),
  })
  const callbacks = table('callbacks', {
    id: text().primaryKey(),
    accountId: text().notNull(),
    walletId: text().notNull(),
    messageId: text<Ticket>().notNull(),
    url: text().notNull(),
    state: text<'pending' | 'delivered' | 'dead'>().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
  })
  const callbackAttempts = table('callback_attempts', {
    callbackId: text().notNull(),
    seq: bigint().notNull(),
    startedAt: bigint<EpochMs>().notNull(),
    latencyMs: bigint().notNull(),
    httpStatus: bigint(),
    errorClass: text(),
    reply: text(),
  })
  const idempotency = table('idempotency', {
    scope: text().primaryKey(),
    fingerprint: text().notNull(),
    response: text().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
  })
  const connectorJournal = table('connector_journal', {
    clientId: text().notNull(),
    seq: bigint().notNull(),
    at: bigint<EpochMs>().notNull(),
    entry: text().notNull(),
  })
  const audit = table('audit', {
    id: text().primaryKey(),
    at: bigint<EpochMs>().notNull(),
    actor: text().notNull(),
    action: text().notNull(),
    accountId: text(),
    detail: text().notNull(),
  })
  const auditFailures = table('audit_failures', {
    action: text().notNull(),
    accountId: text().notNull(),
    hour: bigint().notNull(),
    failures: bigint().notNull(),
    lastAt: bigint<EpochMs>().notNull(),
    detail: text().notNull(),
  })
  const connections = table('connections', {
    id: text().primaryKey(),
    accountId: text().notNull(),
    walletId: text().notNull(),
    grantId: text().notNull(),
    clientId: text().notNull(),
    clientName: text().notNull(),
    redirectHost: text().notNull(),
    canSend: bigint<0 | 1>().notNull(),
    dailySpend: bigint<Micros>().notNull(),
    dailyMessages: bigint().notNull(),
    recipients: text(),
    day: bigint().notNull().default(0),
    daySpend: bigint<Micros>().notNull().default(ZERO),
    dayMessages: bigint().notNull().default(0),
    createdAt: bigint<EpochMs>().notNull(),
    lastUsedAt: bigint().notNull().default(0),
    endedAt: bigint().notNull().default(0),
  })
  const delegatedTokens = table('delegated_tokens', {
    tokenHash: text().primaryKey(),
    connectionId: text().notNull(),
    canSend: bigint<0 | 1>().notNull(),
    expiresAt: bigint<EpochMs>().notNull(),
  })
  const oauthRecords = table('oauth_records', {
    model: text().notNull(),
    id: text().notNull(),
    payload: text().notNull(),
    grantId: text(),
    createdAt: bigint<EpochMs>().notNull(),
    expiresAt: bigint().notNull().default(0),
    consumedAt: bigint().notNull().default(0),
  })
  const oauthKeys = table('oauth_keys', {
    id: text().primaryKey(),
    purpose: text<'sign' | 'cookie'>().notNull(),
    sealed: text().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
  })
  const connectors = table('connectors', {
    id: text().primaryKey(),
    resource: text().notNull(),
    secret: text().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
  })
  const portalSessions = table('portal_sessions', {
    tokenHash: text().primaryKey(),
    accountId: text().notNull(),
    createdAt: bigint<EpochMs>().notNull(),
    expiresAt: bigint<EpochMs>().notNull(),
  })
  const signInAttempts = table('sign_in_attempts', {
    id: text().primaryKey(),
    at: bigint<EpochMs>().notNull(),
    emailHash: text().notNull(),
    address: text().notNull(),
    failed: bigint<0 | 1>().notNull(),
  })
  return {
    accounts,
    clients,
    wallets,
    ledger,
    senderIds,
    rates,
    settings,
    messages,
    hourlyTotals,
    outbox,
    lateReceipts,
    callbacks,
    callbackAttempts,
    idempotency,
    connectorJournal,
    audit,
    auditFailures,
    connections,
    delegatedTokens,
    oauthRecords,
    oauthKeys,
    connectors,
    portalSessions,
    signInAttempts,
  }
}

export type Tables = ReturnType<typeof tables>

export const postgresTables = tables(postgresColumns)
export const sqliteTables = tables(sqliteColumns)
