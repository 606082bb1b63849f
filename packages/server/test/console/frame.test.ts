import { describe, expect, it } from 'vitest'
import { shareWorld } from '../assistants/oauth/world.ts'

const { url, resident } = await shareWorld()
const ama = await resident('ama')

const visit = (path: string, headers: Record<string, string> = {}) =>
  fetch(url + path, {
    headers: { cookie: `wigwag_portal=${ama.person.cookies.get('wigwag_portal')}`, ...headers },
    redirect: 'manual',
  })

describe('a page of the console', () => {
  it('may load its own script and stylesheet, and nothing else', async () => {
    const { headers } = await visit('/wallet')
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('has no script, style or handler in its text', async () => {
    for (const path of ['/messages', '/send', '/insights', '/developers', '/sandbox']) {
      const text = await (await visit(path)).text()
      expect(text, path).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=| style=/)
    }
  })

  it('is compressed for browsers that take it so', async () => {
    const { status, headers } = await visit('/messages', { 'accept-encoding': 'identity' })
    expect([status, headers.get('content-encoding')]).toEqual([200, null])
    const packed = await visit('/messages', { 'accept-encoding': 'gzip' })
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect(packed.headers.get('vary')).toContain('accept-encoding')
  })

  it('names assets by what is in them, so that they may be kept for good', async () => {
    const [, style = '', script = ''] =
      /<link rel="stylesheet" href="([^"]+)"><script src="([^"]+)"/.exec(
        await (await visit('/messages')).text(),
      ) ?? []
    for (const [path, type] of [
      [style, 'text/css; charset=utf-8'],
      [script, 'text/javascript; charset=utf-8'],
    ] as const) {
      const { status, headers } = await visit(path)
      expect([status, headers.get('content-type')]).toEqual([200, type])
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    }
    expect((await visit('/assets/script.other.js')).status).toBe(404)
  })

  it('is a page, too, where there is nothing, for a browser alone', async () => {
    const page = await visit('/messages-of-old', { accept: 'text/html,application/xhtml+xml' })
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    const problem = await visit('/messages-of-old')
    expect(problem.headers.get('content-type')).toContain('application/problem+json')
  })
})
