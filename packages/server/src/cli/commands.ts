import type { Command } from 'commander'

/** A command as the overview shows it. The code of a command is loaded when it is called. */
export interface CommandEntry {
  name: string
  summary: string
  load(): Promise<Command>
}

export interface CommandGroup {
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
        load: async () => (await import('./serve.ts')).serveCommand(),
      },
      {
        name: 'migrate',
        summary: 'Bring the database up to date.',
        load: async () => (await import('./migrate.ts')).migrateCommand(),
      },
      {
        name: 'backup',
        summary: 'Copy the database into a file, while the gateway runs.',
        load: async () => (await import('./backup.ts')).backupCommand(),
      },
      {
        name: 'doctor',
        summary: 'Check that all is well, the money above all.',
        load: async () => (await import('./doctor.ts')).doctorCommand(),
      },
    ],
  },
  {
    heading: 'Customers and prices, beside a running gateway:',
    commands: [
      {
        name: 'account',
        summary: 'Create accounts, suspend them, rotate their secrets.',
        load: async () => (await import('./account.ts')).accountCommand(),
      },
      {
        name: 'wallet',
        summary: 'Add money to a wallet.',
        load: async () => (await import('./wallet.ts')).walletCommand(),
      },
      {
        name: 'sender',
        summary: 'Approve, reject and list sender IDs.',
        load: async () => (await import('./sender.ts')).senderCommand(),
      },
      {
        name: 'connector',
        summary: 'Connectors that run apart from the gateway.',
        load: async () => (await import('./connector.ts')).connectorCommand(),
      },
      {
        name: 'keys',
        summary: "Rotate the sign-in server's keys.",
        load: async () => (await import('./keys.ts')).keysCommand(),
      },
      {
        name: 'rates',
        summary: 'Import and list prices.',
        load: async () => (await import('./rates.ts')).ratesCommand(),
      },
    ],
  },
  {
    heading: 'Messages, through a running gateway:',
    commands: [
      {
        name: 'send',
        summary: 'Send one message.',
        load: async () => (await import('./send.ts')).sendCommand(),
      },
      {
        name: 'bulk',
        summary: 'Send one text to everybody in a CSV file.',
        load: async () => (await import('./bulk.ts')).bulkCommand(),
      },
      {
        name: 'status',
        summary: 'Show what became of a message.',
        load: async () => (await import('./status.ts')).statusCommand(),
      },
      {
        name: 'balance',
        summary: 'Show what the wallet can still spend.',
        load: async () => (await import('./balance.ts')).balanceCommand(),
      },
      {
        name: 'listen',
        summary: 'Receive callbacks, and hand them on to your program.',
        load: async () => (await import('./listen.ts')).listenCommand(),
      },
    ],
  },
]
