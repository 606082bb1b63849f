import { describe, expect, it } from 'vitest'
import { columnOf, whyNotFilled } from '../../src/kernel/text/fields.ts'

describe('the columns of a list', () => {
  it('are named in any case, and the first of a name counts', () => {
    expect(columnOf('NAME', ['To', 'Name', 'name'])).toBe(1)
    expect(columnOf('Owes', ['To', 'Name'])).toBe(-1)
  })

  it('fill a text that names each of them once', () => {
    expect(whyNotFilled(['name', 'TO'], ['To', 'Name'], 'the list')).toBeUndefined()
    expect(whyNotFilled([], [], 'the list')).toBeUndefined()
  })

  it('fill no text that names others, or one that is there twice', () => {
    expect(whyNotFilled(['Owes', 'To'], ['To', 'Name'], 'the list')).toBe(
      'names {Owes}, but the list has the columns To, Name; write a brace that is text as \\{ or \\}',
    )
    expect(whyNotFilled(['name'], ['To', 'Name', 'name'], 'it')).toBe(
      'names {name}, but it has the columns To, Name, name; write a brace that is text as \\{ or \\}',
    )
    expect(whyNotFilled(['To'], ['To', 'Name', 'to'], 'it')).toContain('names {To}')
  })

  it('fill nothing without a line that names them, and of many fields a few are named', () => {
    const fields = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l']
    const why = whyNotFilled(fields, [], 'the list')
    expect(why).toContain('{a}, {b}')
    expect(why).not.toContain('{l}')
    expect(why).toContain('but the list has no first line that names its columns; write')
  })
})
