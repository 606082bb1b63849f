import { expect, it } from 'vitest'
import { createPerson } from '../assistants/oauth/person.ts'
import { startGateway } from './gateway.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder()
const EMAIL = 'ama@acme.example'
const PASSWORD = 'correct horse battery'

it('signs people in with the password that an operator set', async () => {
  const gateway = await startGateway(folder)
  await gateway.createAccount(EMAIL)
  const { code, stderr } = await gateway.operate(['account', 'set-password', EMAIL, '--password-stdin'], {
    input: PASSWORD,
    hashesInEarnest: true,
  })
  expect(code, stderr).toBe(0)
  const person = createPerson()
  const form = await person.visit(`${gateway.url}/sign-in`)
  expect((await person.submit(form, { email: EMAIL, password: 'another password' })).status).toBe(401)
  const page = await person.submit(form, { email: EMAIL, password: PASSWORD })
  expect(page.status, page.text).toBe(200)
  expect(page.url).toBe(`${gateway.url}/messages`)
  expect(page.text).toContain(EMAIL)
})
