// sign-in.ts
import { randomInt } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { createClient } from '@wigwag/sdk'

const sms = createClient()
const codes = new Map<string, string>() // one-time-codes.md has what is missing here
const form = (label: string, name: string, more = '') =>
  `<form method="post">${more}<label>${label} <input name="${name}"></label> <button>Next</button></form>`

async function answer(fields: URLSearchParams): Promise<string> {
  const phone = fields.get('phone')?.replace(/\D/g, '')
  if (!phone) return form('Phone', 'phone')
  if (fields.has('code')) return codes.get(phone) === fields.get('code') ? 'Welcome' : 'Wrong'
  const code = String(randomInt(100_000, 1_000_000))
  codes.set(phone, code)
  await sms.sendSms({ To: phone, Content: `Acme: ${code} is your code.` })
  return form('Code', 'code', `<input type="hidden" name="phone" value="${phone}">`)
}

createServer(async (request, response) => {
  const body = await answer(new URLSearchParams(await text(request)))
  response.setHeader('Content-Type', 'text/html').end(`<!doctype html><title>Sign in</title>${body}`)
}).listen(3000, '127.0.0.1')
