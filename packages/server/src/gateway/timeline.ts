import type { TimelineSource } from '../store/timeline.ts'

/** One thing that happened to a message. */
export interface TimelineEntry {
  at: number
  event: string
  detail?: string
}

/** What happened to a message, in order, as far as its records tell. */
export function timelineOf({ message, lateReceipts, attempts }: TimelineSource): TimelineEntry[] {
  const { status, createdAt, sendAt, dueAt, submittedAt, effectedAt, failureReason } = message
  const entries: TimelineEntry[] = [{ at: createdAt, event: sendAt === 0 ? 'accepted' : 'scheduled' }]
  if (dueAt > 0) entries.push({ at: dueAt, event: 'due' })
  if (submittedAt > 0) entries.push({ at: submittedAt, event: 'submitted' })
  if (status !== 'pending' && status !== 'scheduled') {
    entries.push({
      at: effectedAt,
      event: status,
      ...(failureReason === null ? {} : { detail: failureReason }),
    })
  }
  for (const { receivedAt, status } of lateReceipts) {
    entries.push({ at: receivedAt, event: 'receipt', detail: `${status}, after the message was final` })
  }
  for (const { startedAt, latencyMs, httpStatus, errorClass } of attempts) {
    const delivered = errorClass === null
    entries.push({
      at: startedAt + latencyMs,
      event: delivered ? 'callback_delivered' : 'callback_failed',
      detail: httpStatus === null ? String(errorClass) : `answered ${httpStatus}`,
    })
  }
  return entries.sort((a, b) => a.at - b.at)
}
