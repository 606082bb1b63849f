import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { errorPage } from '../../../src/net/pages/error.tsx'
import { PAGE_HEADERS } from '../../../src/net/pages/reply.ts'

describe('the headers of a page', () => {
  const policy = PAGE_HEADERS['content-security-policy'] ?? ''

  it('allow nothing but the own stylesheet, icon and forms', () => {
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    )
  })

  it('name the stylesheet that the pages have', () => {
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(errorPage({ title: 'a', text: 'b' })) ?? []
    expect(policy).toContain(createHash('sha256').update(style).digest('base64'))
  })
})
