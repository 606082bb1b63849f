import type { Tables } from '../../store/schema/schema.ts'

/**
 * The kinds of columns:
 * - `person`: a recipient's number, a text sent to it, or free text that may repeat either. Erasing a number
 *   looks here.
 * - `customer`: who an account belongs to. Erased with the account, as everything of a person is.
 * - `money`: amounts and counts, which the books need. Never erased.
 * - `secret`: proofs of identity. Never exported.
 * - `operator`: the operator's carriers. Exported only where customers may read that.
 * - `technical`: identifiers, times, states. They stay.
 */
export type Kind = 'person' | 'customer' | 'money' | 'secret' | 'operator' | 'technical'

export interface TableClass<Column extends string = string> {
  /** The columns of its primary key, in order. */
  key: readonly Column[]
  columns: Readonly<Record<Column, Kind>>
}

type Column<Name extends keyof Tables> = keyof Tables[Name]['$inferSelect'] & string

const [person, customer, money, secret, operator, technical] = [
  'person',
  'customer',
  'money',
  'secret',
  'operator',
  'technical',
] as const

/** Every column of every table. A new one does not compile until its kind is said here. */
export const CLASSES: { readonly [Name in keyof Tables]: TableClass<Column<Name>> } = {
  accounts: {
    key: ['id'],
    columns: {
      id: technical,
      name: customer,
      email: customer,
      status: technical,
      statusAt: technical,
      createdAt: technical,
      secondFactor: technical,
      assistantsSpend: money,
      assistantsMessages: technical,
    },
  },
  people: {
    key: ['id'],
    columns: { id: technical, email: customer, passwordHash: secret, createdAt: technical },
  },
  memberships: {
    key: ['accountId', 'personId'],
    columns: {
      accountId: technical,
      personId: technical,
      role: technical,
      createdAt: technical,
      createdBy: technical,
      endedAt: technical,
      assistantsSpend: money,
      assistantsMessages: technical,
    },
  },
  personEvents: {
    key: ['id'],
    columns: {
      id: technical,
      type: technical,
      accountId: technical,
      personId: technical,
      factor: technical,
      createdAt: technical,
    },
  },
  invitations: {
    key: ['secretHash'],
    columns: {
      secretHash: secret,
      accountId: technical,
      email: customer,
      role: technical,
      createdAt: technical,
      createdBy: technical,
      expiresAt: technical,
    },
  },
  clients: {
    key: ['id'],
    columns: { id: technical, accountId: technical, createdAt: technical, toolsUsedAt: technical },
  },
  keys: {
    key: ['id'],
    columns: {
      id: technical,
      accountId: technical,
      kind: technical,
      ownerId: technical,
      stored: secret,
      ending: technical,
      createdAt: technical,
      usedAt: technical,
      endsAt: technical,
    },
  },
  wallets: {
    key: ['id'],
    columns: {
      id: technical,
      accountId: technical,
      currency: technical,
      posted: money,
      held: money,
      entries: technical,
      createdAt: technical,
    },
  },
  ledger: {
    key: ['walletId', 'seq'],
    columns: {
      walletId: technical,
      seq: technical,
      kind: technical,
      amount: money,
      balanceBefore: money,
      balanceAfter: money,
      messageId: technical,
      createdAt: technical,
    },
  },
  ledgerReferences: {
    key: ['walletId', 'reference'],
    columns: { walletId: technical, reference: technical, seq: technical },
  },
  walletWarnings: {
    key: ['walletId'],
    columns: { walletId: technical, threshold: money, lowSince: technical },
  },
  lowWalletEvents: {
    key: ['id'],
    columns: { id: technical, walletId: technical, available: money, threshold: money, createdAt: technical },
  },
  alerts: {
    key: ['key'],
    columns: {
      key: technical,
      state: technical,
      text: customer,
      accountId: technical,
      seenAt: technical,
      toldAt: technical,
      goneAt: technical,
    },
  },
  alertEvents: {
    key: ['id'],
    columns: {
      id: technical,
      type: technical,
      key: technical,
      state: technical,
      text: customer,
      accountId: technical,
      seenAt: technical,
      goneAt: technical,
      createdAt: technical,
    },
  },
  mails: {
    key: ['id'],
    columns: {
      id: technical,
      recipient: customer,
      subject: customer,
      body: customer,
      accountId: technical,
      createdAt: technical,
    },
  },
  senderIds: {
    key: ['accountId', 'sender'],
    columns: {
      accountId: technical,
      sender: customer,
      status: technical,
      reason: customer,
      createdAt: technical,
    },
  },
  rates: {
    key: ['currency', 'country', 'mcc', 'mnc'],
    columns: {
      country: technical,
      mcc: technical,
      mnc: technical,
      network: technical,
      price: money,
      currency: technical,
    },
  },
  rateLists: {
    key: ['number'],
    columns: {
      number: technical,
      since: technical,
      replacedAt: technical,
      replacedBy: technical,
      sample: technical,
      prices: technical,
      list: money,
    },
  },
  settings: { key: ['name'], columns: { name: technical, value: secret } },
  messages: {
    key: ['id'],
    columns: {
      id: technical,
      accountId: technical,
      walletId: technical,
      sender: customer,
      recipient: person,
      content: person,
      reference: person,
      callbackUrl: person,
      status: technical,
      encoding: technical,
      segments: technical,
      country: technical,
      network: technical,
      price: money,
      cost: money,
      balanceBefore: money,
      balanceAfter: money,
      createdAt: technical,
      sendAt: technical,
      dueAt: technical,
      submittedAt: technical,
      effectedAt: technical,
      carrier: operator,
      // A hash of wallet and number, which could be found by trying all numbers.
      carrierRef: operator,
      failureReason: person,
      recipientKey: person,
      senderKey: technical,
      sentBy: technical,
    },
  },
  hourlyTotals: {
    key: ['walletId', 'hour', 'country', 'network'],
    columns: {
      walletId: technical,
      hour: technical,
      country: technical,
      network: technical,
      sent: technical,
      delivered: technical,
      failed: technical,
      spend: money,
    },
  },
  outbox: {
    key: ['id'],
    columns: {
      id: technical,
      kind: technical,
      runAt: technical,
      leaseUntil: technical,
      lapsed: technical,
      epoch: technical,
      attempts: technical,
      carrierRef: technical,
      submittedAt: technical,
      expiresAt: technical,
      faults: technical,
      lane: technical,
      handedAt: technical,
      longRef: technical,
      owner: technical,
    },
  },
  traces: { key: ['messageId'], columns: { messageId: technical, parent: technical, endsAt: technical } },
  carrierRefs: {
    key: ['carrier', 'ref'],
    columns: {
      carrier: technical,
      ref: technical,
      messageId: technical,
      part: technical,
      parts: technical,
      verdict: technical,
      reason: person,
      at: technical,
      folded: technical,
      recipient: person,
      keepUntil: technical,
    },
  },
  carrierTotals: {
    key: ['carrier', 'hour', 'country', 'network'],
    columns: {
      carrier: technical,
      hour: technical,
      country: technical,
      network: technical,
      parts: technical,
      cost: money,
    },
  },
  carrierDeliveries: {
    key: ['carrier', 'hour', 'country', 'network'],
    columns: {
      carrier: technical,
      hour: technical,
      country: technical,
      network: technical,
      success: technical,
      undelivered: technical,
      expired: technical,
      rejected: technical,
      failed: technical,
      in5s: technical,
      in30s: technical,
      in2m: technical,
      in10m: technical,
      later: technical,
    },
  },
  carrierPauses: { key: ['carrier'], columns: { carrier: technical, at: technical } },
  carrierReports: { key: ['process'], columns: { process: technical, at: technical, report: person } },
  lateReceipts: {
    key: ['id'],
    columns: {
      id: technical,
      messageId: technical,
      carrierRef: technical,
      status: technical,
      receivedAt: technical,
    },
  },
  callbacks: {
    key: ['id'],
    columns: {
      id: technical,
      accountId: technical,
      walletId: technical,
      messageId: technical,
      url: person,
      state: technical,
      createdAt: technical,
      replayDay: technical,
      replays: technical,
    },
  },
  callbackAttempts: {
    key: ['callbackId', 'seq'],
    columns: {
      callbackId: technical,
      seq: technical,
      startedAt: technical,
      latencyMs: technical,
      httpStatus: technical,
      errorClass: technical,
      reply: person,
    },
  },
  idempotency: {
    key: ['scope'],
    columns: { scope: technical, fingerprint: technical, response: person, createdAt: technical },
  },
  connectorSends: {
    key: ['id'],
    columns: {
      id: technical,
      clientId: technical,
      at: technical,
      digest: technical,
      key: person,
      ticket: technical,
      attempts: technical,
      failures: technical,
    },
  },
  schedulers: {
    key: ['messageId'],
    columns: { messageId: technical, connectionId: technical, sendAt: technical },
  },
  connectorDays: {
    key: ['clientId'],
    columns: { clientId: technical, day: technical, messages: money, spent: money },
  },
  audit: {
    key: ['id'],
    columns: {
      id: technical,
      at: technical,
      actor: technical,
      action: technical,
      accountId: technical,
      detail: person,
    },
  },
  auditFailures: {
    key: ['action', 'accountId', 'hour'],
    columns: {
      action: technical,
      accountId: technical,
      hour: technical,
      failures: technical,
      lastAt: technical,
      detail: person,
    },
  },
  refusals: {
    key: ['accountId', 'hour', 'code'],
    columns: { accountId: technical, hour: technical, code: technical, refused: technical, latest: customer },
  },
  connections: {
    key: ['id'],
    columns: {
      id: technical,
      accountId: technical,
      walletId: technical,
      grantId: technical,
      personId: technical,
      clientId: technical,
      clientName: customer,
      redirectHost: customer,
      canSend: technical,
      dailySpend: money,
      dailyMessages: technical,
      recipients: person,
      unasked: technical,
      day: technical,
      daySpend: money,
      dayMessages: technical,
      createdAt: technical,
      lastUsedAt: technical,
      endedAt: technical,
    },
  },
  delegatedTokens: {
    key: ['tokenHash'],
    columns: { tokenHash: secret, connectionId: technical, canSend: technical, expiresAt: technical },
  },
  oauthRecords: {
    key: ['model', 'id'],
    columns: {
      model: technical,
      id: secret,
      payload: secret,
      grantId: technical,
      createdAt: technical,
      expiresAt: technical,
      consumedAt: technical,
    },
  },
  oauthKeys: {
    key: ['id'],
    columns: { id: technical, purpose: technical, sealed: secret, createdAt: technical },
  },
  connectors: {
    key: ['id'],
    columns: { id: technical, resource: technical, secret, createdAt: technical },
  },
  portalSessions: {
    key: ['tokenHash'],
    columns: {
      tokenHash: secret,
      personId: technical,
      accountId: technical,
      state: technical,
      proof: technical,
      address: customer,
      browser: customer,
      createdAt: technical,
      usedAt: technical,
      provenAt: technical,
      expiresAt: technical,
    },
  },
  signInAttempts: {
    key: ['id'],
    columns: {
      id: technical,
      at: technical,
      emailHash: customer,
      address: customer,
      failed: technical,
    },
  },
  operators: {
    key: ['id'],
    columns: { id: technical, name: technical, role: technical, createdAt: technical, endedAt: technical },
  },
  operatorSessions: {
    key: ['tokenHash'],
    columns: {
      tokenHash: secret,
      operatorId: technical,
      createdAt: technical,
      usedAt: technical,
      provenAt: technical,
      expiresAt: technical,
    },
  },
  passkeys: {
    key: ['id'],
    columns: {
      id: secret,
      ownerKind: technical,
      ownerId: technical,
      name: customer,
      publicKey: secret,
      counter: technical,
      createdAt: technical,
      usedAt: technical,
    },
  },
  codeGenerators: {
    key: ['id'],
    columns: {
      id: technical,
      ownerKind: technical,
      ownerId: technical,
      sealed: secret,
      lastStep: technical,
      createdAt: technical,
    },
  },
  recoveryCodes: {
    key: ['codeHash'],
    columns: {
      codeHash: secret,
      ownerKind: technical,
      ownerId: technical,
      createdAt: technical,
      usedAt: technical,
    },
  },
  oneTimeLinks: {
    key: ['secretHash'],
    columns: {
      secretHash: secret,
      ownerKind: technical,
      ownerId: technical,
      createdAt: technical,
      expiresAt: technical,
    },
  },
  challenges: {
    key: ['challengeHash'],
    columns: {
      challengeHash: secret,
      purpose: technical,
      ownerKind: technical,
      ownerId: technical,
      expiresAt: technical,
    },
  },
  wrongCodes: {
    key: ['id'],
    columns: { id: technical, ownerKind: technical, nameHash: secret, at: technical, network: technical },
  },
}
