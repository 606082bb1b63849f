import { Command } from 'commander'
import { accountCreateCommand } from './account-create.ts'
import { accountListCommand } from './account-list.ts'
import { accountPasswordCommand } from './account-password.ts'
import { accountRotateCommands } from './account-rotate.ts'
import { accountShowCommand } from './account-show.ts'
import { accountStatusCommands } from './account-status.ts'

export function accountCommand(): Command {
  const group = new Command('account').description('The accounts of customers. Name one by its ID or e-mail.')
  const commands = [
    accountCreateCommand(),
    accountListCommand(),
    accountShowCommand(),
    ...accountStatusCommands(),
    ...accountRotateCommands(),
    accountPasswordCommand(),
  ]
  for (const command of commands) group.addCommand(command)
  return group
}
