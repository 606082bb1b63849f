import { createInterface } from 'node:readline'
import { formatAmount, type Micros, micros, visible } from '@wigwag/contract'
import type { ManyEstimate } from '@wigwag/sdk/segments'
import { commandProcess } from '../command-process.ts'
import { Failed } from '../terminal.ts'

const microsOf = ({ cost }: ManyEstimate) => micros(Math.round(cost * 1_000_000))

/** A price as people read it: `about 12.60 GHS`. */
export function priceInWords(estimate: ManyEstimate): string {
  const { exact, currency = '' } = estimate
  return `${exact ? '' : 'about '}${formatAmount(microsOf(estimate))} ${currency}`.trimEnd()
}

/** Asks the person at the terminal about a price above an amount. Without a terminal it is refused. */
export async function confirmPrice(estimate: ManyEstimate, above: Micros): Promise<void> {
  if (microsOf(estimate) <= above) return
  const price = priceInWords(estimate)
  const { stdin, stderr } = commandProcess()
  if (!stdin.isTTY || !stderr.isTTY) {
    throw new Failed(
      `this would cost ${price}, which is more than ${formatAmount(above)}: add --yes to send it; nothing was sent`,
      2,
    )
  }
  const answer = await ask(`Send to ${estimate.recipients} recipients for ${price}? [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim())) throw new Failed('nothing was sent')
}

/** The line that a person types; empty after Ctrl-C or Ctrl-D. */
function ask(question: string): Promise<string> {
  const { stdin, stderr } = commandProcess()
  const terminal = createInterface({ input: stdin, output: stderr })
  return new Promise((resolve) => {
    terminal.once('SIGINT', () => terminal.close())
    terminal.once('close', () => {
      stderr.write('\n')
      resolve('')
    })
    terminal.question(visible(question), (answer) => {
      resolve(answer)
      terminal.removeAllListeners('close').close()
    })
  })
}
