import { expect, it } from 'vitest'
import { render } from '../../src/net/pages/markup.ts'
import { cutUrl, wholeUrl } from '../../src/web/widgets/answer.tsx'

const LONG = 'https://callbacks.acme.example/hooks/messages/receipts'

it('cuts a long address in the middle, so that its end is in sight, and says all of it in its title', () => {
  expect(render(cutUrl(LONG))).toBe(
    '<bdi class="cut-url" title="callbacks.acme.example/hooks/messages/receipts">' +
      '<span>callbacks.acme.example/hooks/mes</span><span>sages/receipts</span></bdi>',
  )
})

it('leaves a short one as it is, and hides what may be a secret', () => {
  expect(render(cutUrl('https://a.example/cb'))).toBe('<bdi>a.example/cb</bdi>')
  const secret = render(cutUrl(`${LONG}?token=s3cret`))
  expect(secret).not.toContain('s3cret')
  expect(secret).toContain('title="callbacks.acme.example/hooks/messages/receipts?…"')
})

it('shows the whole address with a button to copy it, unless a part is hidden', () => {
  expect(render(wholeUrl(LONG))).toContain(`<bdi>${LONG}</bdi>`)
  expect(render(wholeUrl(LONG))).toContain('data-copy="callback-url"')
  const secret = render(wholeUrl(`${LONG}?token=s3cret`))
  expect(secret).not.toContain('s3cret')
  expect(secret).not.toContain('data-copy')
})

it('never breaks a letter of two units, nor HTML', () => {
  const html = render(cutUrl(`not a url ${'😀'.repeat(30)}<b>`))
  expect(html).toContain(`<span>${'😀'.repeat(11)}&lt;b&gt;</span>`)
})
