import { type Client, TimeoutError, type Transaction } from '@wigwag/sdk'
import type { Command } from 'commander'
import { seconds } from '../arguments.ts'
import { Failed } from '../terminal.ts'

export interface WaitFlags {
  wait?: true
  timeout: number
}

export function withWait(command: Command): Command {
  return command
    .option('--wait', 'wait until the message is final; exit code 1: it was not delivered')
    .option('--timeout <seconds>', 'how long to wait', seconds, 60)
}

/** Waits until a message is final. */
export async function waitFor(client: Client, ticket: string, { timeout }: WaitFlags): Promise<Transaction> {
  try {
    return await client.waitForFinal(ticket, { timeout: timeout * 1_000 })
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error
    throw new Failed(
      `${ticket} is not final after ${timeout} s; to continue, run wigwag status ${ticket} --wait`,
    )
  }
}

/** Fails the command when a message waited for was not delivered. */
export function refuseUndelivered({ MessageId, Status }: Transaction): void {
  if (Status !== 'success') throw new Failed(`${MessageId} was not delivered: ${Status}`)
}
