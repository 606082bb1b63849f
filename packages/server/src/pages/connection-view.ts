import type { EpochMs } from '../domain/ids.ts'
import type { Micros } from '../domain/money.ts'

export interface ConnectionLimits {
  dailySpend: Micros
  dailyMessages: number
  recipients: readonly string[] | undefined
}

export interface ConnectionView {
  id: string
  clientId: string
  clientName: string
  redirectHost: string
  wallet: { id: string; currency: string }
  createdAt: EpochMs
  lastUsedAt: EpochMs | undefined
  endedAt: EpochMs | undefined
  limits: ConnectionLimits | undefined
  today: { spent: Micros; messages: number }
}
