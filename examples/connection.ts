/** Where the gateway is and who is calling, from the environment: paste the lines that `npm start` prints. */
import { type Client, type ClientOptions, createClient } from '@wigwag/sdk'

export function connect({ fetch }: Pick<ClientOptions, 'fetch'> = {}): Client {
  return createClient({
    baseUrl: process.env.WIGWAG_BASE_URL ?? 'http://127.0.0.1:8080',
    clientId: required('WIGWAG_CLIENT_ID'),
    clientSecret: required('WIGWAG_CLIENT_SECRET'),
    walletToken: required('WIGWAG_WALLET_TOKEN'),
    fetch,
  })
}

export function required(name: string): string {
  const value = process.env[name]
  if (value) return value
  console.error(
    `${name} is not set. Start the gateway with npm start and paste the export lines that it prints.`,
  )
  process.exit(2)
}
