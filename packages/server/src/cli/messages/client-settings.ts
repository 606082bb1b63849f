import { Failed } from '../terminal.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The settings of a client: the gateway's address, the credentials and the callback secret. */
const NAMES = [
  'WIGWAG_BASE_URL',
  'WIGWAG_CLIENT_ID',
  'WIGWAG_CLIENT_SECRET',
  'WIGWAG_WALLET_TOKEN',
  'WIGWAG_CALLBACK_SECRET',
] as const

/** Settings that all come from one source. An empty setting counts as not set. */
export interface ClientSettings {
  from: 'environment' | '.env'
  get(name: (typeof NAMES)[number]): string | undefined
  /** `WIGWAG_FROM`. It is no part of the group: with it alone in the environment, `.env` is still read. */
  sender: string | undefined
}

/**
 * Takes all settings from `given` (the environment and the flags) if any of them is set there, else from the file. They
 * are never mixed: a hostile `.env` in the current folder could set the address that the environment's credentials are
 * sent to.
 */
export function readClientSettings(given: Environment, readFile: () => Environment): ClientSettings {
  const from = NAMES.some((name) => given[name]) ? 'environment' : '.env'
  const values = from === 'environment' ? given : readFile()
  const sender = given.WIGWAG_FROM || values.WIGWAG_FROM || undefined
  return { from, sender, get: (name) => values[name] || undefined }
}

export function credentialsOf({ from, get }: ClientSettings) {
  const clientId = get('WIGWAG_CLIENT_ID')
  const clientSecret = get('WIGWAG_CLIENT_SECRET')
  const walletToken = get('WIGWAG_WALLET_TOKEN')
  if (clientId && clientSecret && walletToken) return { clientId, clientSecret, walletToken }

  const credentials = ['WIGWAG_CLIENT_ID', 'WIGWAG_CLIENT_SECRET', 'WIGWAG_WALLET_TOKEN'] as const
  const missing = credentials.filter((name) => get(name) === undefined).join(', no ')
  const why = {
    environment:
      `expected credentials in the environment, but there is no ${missing}; .env is not read, because ` +
      `${NAMES.filter(get).join(' and ')} came from the environment or a flag, and settings of a client are never ` +
      'taken from both; paste all the export lines that npm start printed',
    '.env':
      `expected credentials in the environment or in .env, but there is no ${missing} in .env and none of them in the ` +
      'environment; paste the export lines that npm start printed, or those of wigwag account create',
  }
  throw new Failed(why[from], 2)
}
