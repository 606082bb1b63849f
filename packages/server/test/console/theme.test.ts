import { describe, expect, it } from 'vitest'
import { openWorld } from '../assistants/oauth/world.ts'

async function open() {
  const world = await openWorld()
  const ama = await world.resident('ama')
  const choose = async (theme: string, from = '/keys', back?: string) =>
    ama.person.submit(
      await ama.person.visit(world.url + from),
      { theme, ...(back === undefined ? {} : { back }) },
      (to) => to.endsWith('/theme'),
    )
  return { ...world, ama, choose }
}

const themeOf = ({ text }: { text: string }) => /<html lang="en"(?: data-theme="(\w+)")?>/.exec(text)?.[1]

describe('the choice of a theme', () => {
  it('is kept by the browser, shown by the next page and by the button that is pressed', async () => {
    const { url, ama, choose } = await open()
    expect(themeOf(await ama.person.visit(`${url}/keys`))).toBeUndefined()
    const dark = await choose('dark')
    expect(themeOf(dark)).toBe('dark')
    expect(dark.text).toContain('value="dark" aria-pressed="true"')
    expect(themeOf(await choose('light'))).toBe('light')
    expect(themeOf(await choose('none'))).toBeUndefined()
  })

  it('goes back to the page that it was made on, with its query', async () => {
    const { url, choose } = await open()
    expect((await choose('dark', '/messages?q=to%3A233')).url).toBe(`${url}/messages?q=to%3A233`)
  })

  it.each(['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)', ''])(
    'goes nowhere else: %s',
    async (back) => {
      const { url, choose } = await open()
      const page = await choose('dark', '/keys', back)
      expect([page.url, page.left]).toEqual([`${url}/messages`, undefined])
    },
  )

  it('is nothing but light, dark or none', async () => {
    const { choose } = await open()
    await choose('dark')
    expect(themeOf(await choose('"><script>'))).toBeUndefined()
  })
})
