import { afterAll, expect, it } from 'vitest'
import { freshPostgres } from '../../support/postgres.ts'
import { post, register } from './assistant.ts'
import { createPerson } from './person.ts'
import { shareWorld } from './world.ts'

/** PostgreSQL takes no zero character in a text, and says so with an error. */
const { url: database, drop } = await freshPostgres()
const world = await shareWorld({ database })
afterAll(drop)
const assistant = await world.assistant()

it.each([
  ['client', { client_id: '\0' }],
  ['client that may have a document', { client_id: 'https://assistant.example/\0' }],
  ['resource', { resource: 'https://assistant.example/\0' }],
])('knows no %s with a zero character in its name', async (_, changes) => {
  const { status, text } = await createPerson().visit(assistant.authorizeUrl(changes))
  expect(status).toBe(400)
  expect(text).toContain('(invalid_')
})

it('trades nothing for a client with a zero character in its name', async () => {
  const { body } = await post(`${world.url}/oauth/token`, { client_id: 'wm_\0', grant_type: 'refresh_token' })
  expect(body.error).toMatch(/^invalid_/)
})

it('registers no client with a zero character in its name', async () => {
  const { status, body } = await register(world.url, { client_name: 'An\0assistant' })
  expect([status, body.error]).toEqual([400, 'invalid_client_metadata'])
})
