import type { StandaloneConnector } from '../../../src/assistants/standalone.ts'
import { type Answer, type Changes, post } from './assistant.ts'
import type { World } from './world.ts'

/** A standalone connector, as the gateway sees it. */
export interface Standalone extends StandaloneConnector {
  introspect(token: string, changes?: Changes): Promise<Answer>
  exchange(token: string, changes?: Changes): Promise<Answer>
}

export const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'

/** Adds a connector, as the operator does. */
export async function addStandalone({ url, gateway }: World, resource: string): Promise<Standalone> {
  return standaloneOf(url, await gateway.standalone.add(resource))
}

/** A connector that proves itself like this, rightly or not. */
export function standaloneOf(url: string, connector: StandaloneConnector): Standalone {
  const { id, secret } = connector
  const proof = { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }
  return {
    ...connector,
    introspect: (token, changes = {}) => post(`${url}/oauth/introspect`, { token, ...changes }, proof),
    exchange: (token, changes = {}) =>
      post(
        `${url}/oauth/token`,
        {
          grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
          subject_token: token,
          subject_token_type: ACCESS_TOKEN,
          ...changes,
        },
        proof,
      ),
  }
}
