import { describe, expect, it } from 'vitest'
import { kindOf, nameOf } from '../src/status.ts'

const standard = new Map()

describe('a status', () => {
  it.each([
    [0x58, 'later'],
    [0x14, 'later'],
    [0x0a, 'rejected'],
    [0x0b, 'rejected'],
    [0x01, 'rejected'],
    [0x66, 'rejected'],
    [0xc4, 'rejected'],
    [0x08, 'not_taken'],
    [0x45, 'not_taken'],
    [0x64, 'not_taken'],
    [0xff, 'not_taken'],
    // A carrier's own.
    [0x400, 'not_taken'],
    [0xdead_beef, 'not_taken'],
  ])('0x%s means %s', (status, expected) => {
    expect(kindOf(status, standard)).toBe(expected)
  })

  it('means what the settings of the carrier say, where they say something', () => {
    const own = new Map([
      [0x08, 'uncertain'],
      [0x0b, 'later'],
      [0x401, 'rejected'],
    ] as const)
    expect([0x08, 0x0b, 0x401, 0x58].map((status) => kindOf(status, own))).toEqual([
      'uncertain',
      'later',
      'rejected',
      'later',
    ])
  })

  it('is shown with its name and its number', () => {
    expect(nameOf(0x58)).toBe('RTHROTTLED (0x00000058)')
    expect(nameOf(0x411)).toBe('0x00000411')
  })
})
