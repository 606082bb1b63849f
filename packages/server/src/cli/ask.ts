import { createInterface } from 'node:readline'
import { visible } from '@wigwag/contract'
import { commandProcess } from './command-process.ts'

/** Whether a person is at the terminal and can be asked. */
export function canAsk(): boolean {
  const { stdin, stderr } = commandProcess()
  return Boolean(stdin.isTTY && stderr.isTTY)
}

/** Whether the person at the terminal says yes. */
export async function saysYes(question: string): Promise<boolean> {
  const answer = await ask(`${question} [y/N] `)
  return /^y(es)?$/i.test(answer.trim())
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
