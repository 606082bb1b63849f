import { describe, expect, it } from 'vitest'
import { createClient } from '../src/index.ts'
import { places } from '../src/operations.ts'
import { credentials, failure } from './fault-server.ts'

/** A gateway with three pages of two items. */
function threePages() {
  const asked: string[] = []
  const fetch = (address: string) => {
    const url = new URL(address)
    asked.push(url.pathname + url.search)
    const page = Number(url.searchParams.get('Cursor') ?? 0)
    const Items = ['a', 'b'].map((name) => ({
      Id: name,
      Ticket: name,
      MessageId: page + name,
      Status: 'failed',
    }))
    return Response.json(page < 2 ? { Items, NextCursor: String(page + 1) } : { Items })
  }
  return { asked, sms: createClient({ ...credentials, baseUrl: 'https://gateway.test', fetch }) }
}

describe('a list', () => {
  it('is read to its end, each page once, with the filter on every page', async () => {
    const { sms, asked } = threePages()
    const ids: string[] = []
    for await (const message of sms.searchMessages({ Status: 'failed' })) ids.push(message.MessageId)
    expect(ids).toEqual(['0a', '0b', '1a', '1b', '2a', '2b'])
    expect(asked).toEqual(
      ['', '&Cursor=1', '&Cursor=2'].map((cursor) => `/v1/messages?Status=failed${cursor}`),
    )
  })

  it('is read no further than you go', async () => {
    const { sms, asked } = threePages()
    for await (const message of sms.searchMessages()) if (message.MessageId === '0b') break
    expect(asked).toHaveLength(1)
  })

  it('is not read before you begin, and from the start each time', async () => {
    const { sms, asked } = threePages()
    const list = sms.searchMessages()
    expect(asked).toEqual([])
    for (let time = 0; time < 2; time++) for await (const _ of list) break
    expect(asked).toEqual(['/v1/messages', '/v1/messages'])
  })

  it('begins at the cursor of the filter', async () => {
    const { sms } = threePages()
    const ids: string[] = []
    for await (const message of sms.searchMessages({ Cursor: '2' })) ids.push(message.MessageId)
    expect(ids).toEqual(['2a', '2b'])
  })

  it('gives one page alone, the first or a named one', async () => {
    const { sms } = threePages()
    const first = await sms.searchMessages().page()
    expect(first.NextCursor).toBe('1')
    expect((await sms.searchMessages().page(first.NextCursor)).Items[0]).toMatchObject({ MessageId: '1a' })
    expect((await sms.searchMessages().page().withResponse()).response.status).toBe(200)
  })

  it('fails where a page fails', async () => {
    let pages = 0
    const fetch = () =>
      pages++
        ? Response.json({}, { status: 403 })
        : Response.json({ Items: [{ Id: 'a' }], NextCursor: 'next' })
    const sms = createClient({ ...credentials, baseUrl: 'https://gateway.test', fetch })
    const ids: string[] = []
    const read = async () => {
      for await (const callback of sms.listCallbacks()) ids.push(callback.Id)
    }
    expect(await failure(read())).toMatchObject({ status: 403 })
    expect(ids).toEqual(['a'])
  })

  it('is what every operation with items answers, those of one page too', async () => {
    const { sms, asked } = threePages()
    const lists = Object.entries(places).filter(([, [, , , shape]]) => 'Items' in shape)
    for (const [operation] of lists) {
      const ids: unknown[] = []
      for await (const item of sms[operation as 'listKeys']()) ids.push(item.Id)
      expect(ids, operation).toEqual(['a', 'b', 'a', 'b', 'a', 'b'])
    }
    expect(asked.filter((path) => !path.includes('Cursor'))).toEqual([
      '/v1/account/ledger',
      '/v1/messages',
      '/v1/messages/sms/scheduled',
      '/v1/account/sender-ids',
      '/v1/account/keys',
      '/v1/callbacks',
    ])
  })
})
