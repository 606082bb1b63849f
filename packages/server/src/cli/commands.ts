import { Command } from 'commander'
import { nearestOf } from '../kernel/text/nearest.ts'
import { Failed } from './terminal.ts'

/** A command in the overview. Its code is loaded only when it is called. */
export interface CommandEntry {
  name: string
  summary: string
  /** It reads the other commands, so that their code is loaded too. */
  readsAll?: true
  load(): Promise<Command>
}

interface CommandGroup {
  heading: string
  commands: readonly CommandEntry[]
}

export const groups: readonly CommandGroup[] = [
  {
    heading: 'Run the gateway:',
    commands: [
      {
        name: 'serve',
        summary: 'Run the gateway.',
        load: async () => (await import('./serve/serve.ts')).serveCommand(),
      },
      {
        name: 'migrate',
        summary: 'Bring the database up to date.',
        load: async () => (await import('./operator/database.ts')).migrateCommand(),
      },
      {
        name: 'backup',
        summary: 'Copy the database into a file while the gateway runs.',
        load: async () => (await import('./operator/database.ts')).backupCommand(),
      },
      {
        name: 'move',
        summary: 'Move everything to PostgreSQL, or one account from cell to cell.',
        load: async () => (await import('./operator/move.ts')).moveCommand(),
      },
      {
        name: 'doctor',
        summary: 'Check the installation and the ledger.',
        load: async () => (await import('./doctor.ts')).doctorCommand(),
      },
      {
        name: 'mail',
        summary: 'Try the mail server.',
        load: async () => (await import('./mail.ts')).mailCommand(),
      },
      {
        name: 'smsc',
        summary: 'Play a carrier over SMPP, to try the gateway without one.',
        load: async () => (await import('./serve/smsc.ts')).smscCommand(),
      },
    ],
  },
  {
    heading: 'Customers and prices, also while the gateway runs:',
    commands: [
      {
        name: 'account',
        summary: 'Create, suspend, export and erase accounts.',
        load: async () => (await import('./operator/account.ts')).accountCommand(),
      },
      {
        name: 'person',
        summary: 'Let people into accounts, change their roles, remove them.',
        load: async () => (await import('./operator/person.ts')).personCommand(),
      },
      {
        name: 'number',
        summary: 'Erase a phone number and what was sent to it.',
        load: async () => (await import('./operator/privacy.ts')).numberCommand(),
      },
      {
        name: 'wallet',
        summary: 'Credit, debit and watch wallets; show statements.',
        load: async () => (await import('./operator/wallet.ts')).walletCommand(),
      },
      {
        name: 'operator',
        summary: 'Let people into the desk, list and end them.',
        load: async () => (await import('./operator/operators.ts')).operatorCommand(),
      },
      {
        name: 'audit',
        summary: 'Show who did what.',
        load: async () => (await import('./operator/audit.ts')).auditCommand(),
      },
      {
        name: 'sender',
        summary: 'Approve, reject and list sender IDs.',
        load: async () => (await import('./operator/sender.ts')).senderCommand(),
      },
      {
        name: 'connector',
        summary: 'Check a connector; manage standalone ones.',
        load: async () => (await import('./operator/connector.ts')).connectorCommand(),
      },
      {
        name: 'keys',
        summary: "List and end keys of accounts; rotate the sign-in server's.",
        load: async () => (await import('./operator/keys.ts')).keysCommand(),
      },
      {
        name: 'secret',
        summary: 'Seal everything in the database again with a new secret.',
        load: async () => (await import('./operator/database.ts')).secretCommand(),
      },
      {
        name: 'rates',
        summary: 'Import, export, compare and list prices.',
        load: async () => (await import('./operator/rates.ts')).ratesCommand(),
      },
    ],
  },
  {
    heading: 'Carriers and what they carry, also while the gateway runs:',
    commands: [
      {
        name: 'carriers',
        summary: 'Show, pause, resume and reload carriers, and their costs.',
        load: async () => (await import('./carriers/carriers.ts')).carriersCommand(),
      },
      {
        name: 'messages',
        summary: 'Find and follow messages, and settle those never answered.',
        load: async () => (await import('./operator/messages/messages.ts')).messagesCommand(),
      },
      {
        name: 'callbacks',
        summary: 'List callbacks, and have them posted again.',
        load: async () => (await import('./operator/callbacks.ts')).callbacksCommand(),
      },
    ],
  },
  {
    heading: 'Messages, through a running gateway:',
    commands: [
      {
        name: 'send',
        summary: 'Send one message.',
        load: async () => (await import('./messages/send.ts')).sendCommand(),
      },
      {
        name: 'bulk',
        summary: 'Send a text to every recipient in a CSV file.',
        load: async () => (await import('./bulk/bulk.ts')).bulkCommand(),
      },
      {
        name: 'status',
        summary: 'Show the status of a message.',
        load: async () => (await import('./messages/send.ts')).statusCommand(),
      },
      {
        name: 'balance',
        summary: 'Show the balance of the wallet.',
        load: async () => (await import('./messages/send.ts')).balanceCommand(),
      },
      {
        name: 'listen',
        summary: 'Receive callbacks and forward them to your program.',
        load: async () => (await import('./messages/listen.ts')).listenCommand(),
      },
      {
        name: 'sandbox',
        summary: 'Wait for a code, move the clock, and make things go wrong on purpose.',
        load: async () => (await import('./messages/sandbox.ts')).sandboxCommand(),
      },
      {
        name: 'conform',
        summary: 'Try a server against the specification.',
        load: async () => (await import('./conform.ts')).conformCommand(),
      },
    ],
  },
  {
    heading: 'In your shell:',
    commands: [
      {
        name: 'help',
        summary: 'Show the help of a command.',
        readsAll: true,
        load: async () => helpCommand(),
      },
      {
        name: 'completion',
        summary: 'Print what lets bash, zsh or fish complete commands.',
        readsAll: true,
        load: async () => (await import('./completion/completion.ts')).completionCommand(),
      },
    ],
  },
]

/** Commander's own help reads the first word alone, so below a group it could only show the help of the group. */
function helpCommand(): Command {
  return new Command('help')
    .description('Show the help of a command.')
    .argument('[command...]', 'such as messages settle')
    .action((words: readonly string[], _flags: unknown, command: Command) => {
      let found: Command | null = command.parent
      for (const word of words) found = childOf(found, word)
      found?.outputHelp()
    })
}

function childOf(parent: Command | null, word: string): Command {
  const commands = parent?.commands ?? []
  const found = commands.find((child) => child.name() === word)
  if (found) return found
  const nearest = nearestOf(
    word,
    commands.map((child) => child.name()),
  )
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`
  throw new Failed(`${pathOf(parent)} has no command ${JSON.stringify(word)}${hint}`, 2)
}

function pathOf(command: Command | null): string {
  return command ? [pathOf(command.parent), command.name()].join(' ').trim() : ''
}
