import { describe, expect, it } from 'vitest'
import type { SmppSettings } from '../../../src/delivery/carriers/settings.ts'
import { idOfAnswer, idOfReceipt } from '../../../src/delivery/carriers/smpp-messages.ts'

describe('the id of an answer and that of its receipt', () => {
  it.each<[SmppSettings['ids'], string, string]>([
    ['same', 'QwEx2', 'QwEx2'],
    ['same', '0000123', '0000123'],
    ['same', '123', ' 123 '],
    ['same', 'ab', 'a\u0000b\u00ff'],
    ['hex-then-decimal', '39f99dd5', '0972660181'],
    ['hex-then-decimal', 'ffffffffffffffff', '18446744073709551615'],
    ['decimal-then-hex', '972660181', '39F99DD5'],
    ['decimal-then-hex', '18446744073709551615', 'FFFFFFFFFFFFFFFF'],
    // Not a number after all: compared as they are.
    ['hex-then-decimal', 'ABC-1', 'ABC-1'],
  ])('%s: %s is %s', (form, answer, receipt) => {
    expect(idOfReceipt(receipt, form)).toBe(idOfAnswer(answer))
  })

  it('differ when they are written differently, or the numbers differ', () => {
    expect(idOfReceipt('qWeX2', 'same')).not.toBe(idOfAnswer('QwEx2'))
    expect(idOfReceipt('0000123', 'same')).not.toBe(idOfAnswer('123'))
    expect(idOfReceipt('10', 'hex-then-decimal')).not.toBe(idOfAnswer('10'))
  })
})
