import { describe, expect, it } from 'vitest'
import { codeIn } from '../src/testing/code-in-text.ts'

describe('the code in a text', () => {
  it.each([
    ['Your code is 82913', '82913'],
    ['Your code is 82913.', '82913'],
    ['4821', '4821'],
    ['Use 829-130 to sign in', '829130'],
    ['Use 829 130 to sign in', '829130'],
    ['G-829130 is your Google verification code.', '829130'],
    ['<#> 12345678 ist dein Code', '12345678'],
    // As WebOTP wants it: the same code twice.
    ['Your code is 829130.\n\n@shop.example #829130', '829130'],
  ])('is the only number of 4 to 8 digits that stands alone: %j', (text, code) => {
    expect(codeIn(text)).toBe(code)
  })

  it.each([
    ['Your code is 829130. It is good until 30 Nov 2026.', '829130'],
    ['829130 is your Acme code. Order 1042.', '829130'],
    ['Use 829130 as your PIN until 2027', '829130'],
    ['Order 1042: your code is 829130', '829130'],
    ['Pay GHS 1500 to Ama. Your OTP for this is 4821', '4821'],
    ['Order 1042\nPIN: 829 130', '829130'],
  ])('is, of several, the one that the text calls so: %j', (text, code) => {
    expect(codeIn(text)).toBe(code)
  })

  it.each([
    ['Hello'],
    ['You have 12 points'],
    ['Call +233241234567 or 0241234567 or 024 123 4567'],
    ['Card 4111 1111 1111 1111'],
    ['You paid $1500 or 1500.50 or 12,500'],
    ['On 2026-11-30 or 30/11/2026 at 12:3000'],
    ['Version 1.2345, 1000% of 2000ml, X4821'],
  ])('is not part of something longer, an amount or a date: %j', (text) => {
    expect(codeIn(text)).toBeUndefined()
  })

  it('is not guessed where several numbers may be it', () => {
    expect(codeIn('1234 or 5678')).toBeUndefined()
  })
})
