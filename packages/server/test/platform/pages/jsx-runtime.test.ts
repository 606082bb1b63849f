import { raw } from 'hono/html'
import { jsx as honoJsx } from 'hono/jsx/jsx-runtime'
import { describe, expect, it } from 'vitest'
import { Fragment, jsx } from '../../../src/net/pages/jsx-runtime.ts'

const HOSTILE = `<script>alert('a & "b"')</script>`
const ESCAPED = '&lt;script&gt;alert(&#39;a &amp; &quot;b&quot;&#39;)&lt;/script&gt;'

describe('a tag of a page', () => {
  it('escapes all text and every attribute, but nothing twice', () => {
    const inner = jsx('bdi', { children: HOSTILE })
    const outer = jsx('p', { title: HOSTILE, children: [HOSTILE, inner, raw('<hr>')] })
    expect(String(outer)).toBe(`<p title="${ESCAPED}">${ESCAPED}<bdi>${ESCAPED}</bdi><hr></p>`)
    const odd = { toString: () => HOSTILE, isEscaped: true }
    expect(String(jsx('p', { title: odd, children: odd }))).toBe(`<p title="${ESCAPED}">${ESCAPED}</p>`)
  })

  it('shows numbers, and nothing for what is not there', () => {
    const children = [0, ' ', [1, [undefined, 2]], false, true, null, undefined]
    expect(String(jsx('p', { children }))).toBe('<p>0 12</p>')
    expect(String(Fragment({ children }))).toBe('0 12')
  })

  it('leaves out attributes that are not there, and has no value for those that are or are not', () => {
    const given = {
      class: undefined,
      checked: true,
      disabled: false,
      spellcheck: false,
      maxlength: 3,
      value: '',
    }
    expect(String(jsx('input', given))).toBe('<input checked spellcheck="false" maxlength="3" value="">')
  })

  it('means what it means to hono', () => {
    const tree = (make: typeof jsx | typeof honoJsx) =>
      make('form', {
        class: 'a "b"',
        hidden: true,
        'data-a': undefined,
        children: [
          make('input', { required: true, readonly: false, tabindex: 0, spellcheck: false }),
          make('textarea', { children: '\nfirst line' }),
          [make('b', { children: 7 }), null, make('br', {}), 'it’s < 5 & "more"'],
        ],
      })
    expect(String(tree(jsx))).toBe(String(tree(honoJsx)).replaceAll('/>', '>').replaceAll('=""', ''))
  })
})
