import { readFile } from 'node:fs/promises'
import { shellText } from '../../../kernel/text/shell.ts'
import { packageRoot } from '../../../package-root.ts'
import { isComplete, type SampleAccount } from '../widgets/samples.ts'

/** The settings of the SDK, the examples and the commands. Secrets that may not be shown are placeholders. */
export function shellKeys(account: SampleAccount, clientId: string, from: string): string {
  const { baseUrl, clientSecret, walletToken, callbackSecret } = account
  const shown = isComplete(account)
    ? { clientSecret, walletToken, callbackSecret }
    : {
        clientSecret: 'YOUR_CLIENT_SECRET',
        walletToken: 'YOUR_WALLET_TOKEN',
        callbackSecret: 'YOUR_CALLBACK_SECRET',
      }
  return Object.entries({
    WIGWAG_BASE_URL: baseUrl,
    WIGWAG_CLIENT_ID: clientId,
    WIGWAG_CLIENT_SECRET: shown.clientSecret,
    WIGWAG_WALLET_TOKEN: shown.walletToken,
    WIGWAG_FROM: from,
    WIGWAG_CALLBACK_SECRET: shown.callbackSecret,
  })
    .map(([name, value]) => `export ${name}=${shellText(value)}`)
    .join('\n')
}

/** A receiver of callbacks. It reads the secret from the environment, and answers what is not signed with it. */
export const RECEIVER = `
// Until the first release, the packages come from a clone (https://github.com/wigwag/wigwag/blob/main/docs/from-a-clone.md).
import { createServer } from 'node:http'
import { callbackHandler, toNodeHandler } from '@wigwag/sdk'

const handler = callbackHandler((callback) => {
  console.log(callback.Ticket, callback.Status)
})

createServer(toNodeHandler(handler)).listen(3000)`.trimStart()

/** Where `wigwag listen` takes callbacks. */
const LISTENS_AT = 'http://127.0.0.1:8090'

/** Callbacks on the machine of the gateway: printed, and passed on to a program there. */
export const LISTEN = 'npx wigwag listen --forward-to http://127.0.0.1:3000/hooks/sms'

/** A message whose callback comes to {@link LISTEN}. */
export function sendToListener(from: string, to: string): string {
  return `npx wigwag send --from ${shellText(from)} --to ${to} --content Hello --callback-url ${LISTENS_AT}`
}

interface Collection {
  variable: { key: string; value: string }[]
}

interface CollectionValues {
  account: SampleAccount
  clientId: string
  from: string
}

/** The Postman collection, with an account's values in its variables. Secrets that may not be shown stay empty. */
export async function postmanFile({ account, clientId, from }: CollectionValues): Promise<string> {
  const text = await readFile(new URL('assets/postman.json', packageRoot), 'utf8')
  const collection = JSON.parse(text) as Collection
  const { baseUrl, clientSecret, walletToken } = account
  const secrets = isComplete(account) ? { clientsecret: clientSecret, token: walletToken } : {}
  const values = new Map(Object.entries({ baseUrl, clientid: clientId, from, ...secrets }))
  const variable = collection.variable.map(({ key, value }) => ({ key, value: values.get(key) ?? value }))
  return JSON.stringify({ ...collection, variable }, null, 2)
}
