import { Command } from 'commander'
import { type StoreFlags, withOffice } from './office.ts'
import { lines, type OutputFlags, output, withJson } from './output.ts'
import { withDatabase } from './settings.ts'
import { say } from './terminal.ts'

export function accountRotateCommands(): Command[] {
  return [
    withJson(withDatabase(new Command('rotate-secret')))
      .description('Give an account another client secret. The one before stops working at once.')
      .argument('<account>', 'its ID or e-mail')
      .action(rotateSecret),
    withJson(withDatabase(new Command('rotate-callback-secret')))
      .description('Give an account another callback secret. The one before goes on signing for 24 hours.')
      .argument('<account>', 'its ID or e-mail')
      .action(rotateCallbackSecret),
  ]
}

async function rotateSecret(idOrEmail: string, flags: StoreFlags & OutputFlags): Promise<void> {
  const made = await withOffice(flags, ({ operator }) => operator.rotateSecret(idOrEmail))
  const text = lines([
    ['client ID', made.clientId],
    ['client secret', made.clientSecret],
  ])
  output(flags, made, text)
  say('Keep it: the client secret cannot be shown again.')
}

async function rotateCallbackSecret(idOrEmail: string, flags: StoreFlags & OutputFlags): Promise<void> {
  const made = await withOffice(flags, ({ operator }) => operator.rotateCallbackSecret(idOrEmail))
  const previousUntil = new Date(made.previousUntil).toISOString()
  const { callbackSecret } = made
  output(flags, { callbackSecret, previousUntil }, lines([['callback secret', callbackSecret]]))
  say(`Callbacks carry the signatures of both secrets until ${previousUntil}.`)
}
