import { describe, expect, it } from 'vitest'
import { createPerson } from '../assistants/oauth/person.ts'
import { ENGINES } from '../support/bench.ts'
import { shareDeskOn } from './desk.ts'

describe.each(ENGINES.slice(0, 1))('a page of the desk that is not there, on %s', async (engine) => {
  const { desk, visit } = await shareDeskOn(engine)

  it.each([
    ['/carrots', 'There is nothing here', '/'],
    ['/customers/nobody', 'There is no such customer', '/customers'],
    ['/messages/01a22d34-e137-70dd-89fa-5c5535bf37d2', 'There is no such message', '/messages'],
    ['/carriers/none', 'There is no such carrier', '/carriers'],
  ])('says so in the frame of the desk: %s', async (path, title, back) => {
    const { status, text } = await visit(path)
    expect(status).toBe(404)
    expect(text).toContain(`<h1>${title}</h1>`)
    expect(text).toContain('<nav id="places"')
    expect(text).toContain('desk-style.')
    expect(text).toContain(`<a class="button" href="${back}">`)
  })

  it('is marked in the menu as the place that it would be in', async () => {
    const { text } = await visit('/customers/nobody')
    expect(text).toMatch(/<a href="\/customers" aria-current="page">/)
  })

  it('has the look of the desk and no menu for who is not signed in', async () => {
    const { status, text } = await createPerson().visit(`${desk.deskUrl}/carrots`)
    expect(status).toBe(404)
    expect(text).toContain('OPERATORS')
    expect(text).not.toContain('<nav')
  })

  it('says in the same frame that an operator may look alone', async () => {
    const { person } = await desk.operator('lo', 'look')
    const { status, text } = await person.visit(`${desk.deskUrl}/customers/new`)
    expect(status).toBe(403)
    expect(text).toContain('You may look, not change')
    expect(text).toContain('<nav id="places"')
  })
})
