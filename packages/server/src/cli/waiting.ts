import { type Client, TimeoutError, type Transaction } from '@wigwag/sdk'
import type { Command } from 'commander'
import { seconds } from './arguments.ts'
import { Failed } from './terminal.ts'

export interface WaitFlags {
  wait?: true
  timeout: number
}

export function withWait(command: Command): Command {
  return command
    .option('--wait', 'until the message is final; exit code 1 says that it was not delivered')
    .option('--timeout <seconds>', 'how long to wait', seconds, 60)
}

/** Waits for the end of a message. */
export async function waitFor(client: Client, ticket: string, { timeout }: WaitFlags): Promise<Transaction> {
  try {
    return await client.waitForFinal(ticket, { timeout: timeout * 1_000 })
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error
    throw new Failed(`${ticket} is not final after ${timeout} s; go on with wigwag status ${ticket} --wait`)
  }
}

/** Who waits wants to know whether it arrived. */
export function refuseUndelivered({ MessageId, Status }: Transaction): void {
  if (Status !== 'success') throw new Failed(`${MessageId} was not delivered: ${Status}`)
}
