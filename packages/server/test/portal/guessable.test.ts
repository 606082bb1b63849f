import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { passwordMistake } from '../../src/sign-in/portal/index.ts'
import { isGuessable } from '../../src/sign-in/portal/passwords/guessable.ts'

const NAMES = ['kofi.mensah@makola.example', 'Makola Stores', 'Acme SMS']
const mistake = (password: string) => passwordMistake(password, NAMES)

describe('a new password', () => {
  it.each([
    'passwordpassword',
    'abcabcabcabc',
    'password1234',
    'Password1234!',
    'P@ssw0rd2026!',
    '!!!!Password!!',
    'pass word 1234',
    'qwertyuiop12',
    'QWERTYUIOPAS',
    'asdfghjkl;123',
    '1qaz2wsx3edc',
    'abcdefghijkl',
    '123456789012',
    '987654321098',
    'aaaaaaaaaaaa',
    '------------',
    'abababababab',
    'dragondragon2024',
    'letmeinletmein',
    'iloveyou12345',
    'ｐａｓｓｗｏｒｄ１２３４',
    'passwordpasswo',
  ])('is not one of the first that are guessed: %s', (password) => {
    expect(mistake(password)).toMatch(/^Expected a password that is hard to guess; this one is common, or/)
  })

  it.each([
    'kofi.mensah@makola.example',
    'Kofi.Mensah2026',
    'MakolaStores1',
    'makola-makola',
    'wigwagwigwag1',
    'Acme SMS 2026',
    'wigwagpassword',
  ])('is not little more than a name: %s', (password) => {
    expect(mistake(password)).toMatch(
      /^Expected a password that is hard to guess; this one is (?:little|common)/,
    )
  })

  it.each([
    'a long enough password',
    'correct horse battery',
    'tuba velvet orbit lagoon',
    'Kx9#2fLq81vT',
    '739184620573aB!x',
    'Makola fish at nine o’clock',
    'ɛyɛ me dɛ paa, me nua',
    '我们的咖啡馆在河边的小路上',
    'rR8rR9zT8qL1',
  ])('may be one that is hard to guess: %s', (password) => {
    expect(mistake(password)).toBeUndefined()
  })

  it('is refused by its length first, however long it is', () => {
    expect(mistake('short')).toMatch(/^Expected a password of 12 to 1,024 characters\.$/)
    expect(mistake('a'.repeat(2_000_000))).toMatch(/^Expected a password of 12 to 1,024 characters\.$/)
  })

  it('of random characters is taken', () => {
    const signs = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_']
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...signs), { minLength: 16, maxLength: 40 }), (all) => {
        // Real randomness: fast-check likes to repeat itself.
        fc.pre(new Set(all).size > 9)
        return !isGuessable(all.join(''))
      }),
      { numRuns: 300 },
    )
  })

  it('is looked at with work that grows with its length alone', () => {
    for (const part of ['a', 'ab', 'password', '1', '\0', 'aaaaaaaab'])
      expect(() => mistake(part.repeat(1_024).slice(0, 1_024))).not.toThrow()
  })
})
