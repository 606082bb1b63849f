import { readFile } from 'node:fs/promises'
import { packageRoot } from '../../package-root.ts'
import { isComplete, type SampleAccount } from '../widgets/samples.ts'

interface Collection {
  variable: { key: string; value: string }[]
}

export interface CollectionValues {
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
