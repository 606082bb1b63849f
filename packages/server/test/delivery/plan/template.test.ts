import { describe, expect, it } from 'vitest'
import { planOf, problemsOf, TEMPLATE } from './plans.ts'

const south = {
  url: 'https://api.carrier.example/sms',
  template: 'south.json',
  passwordEnv: 'SOUTH_TOKEN',
  receiptsSecretEnv: 'SOUTH_RECEIPTS',
}
const { request, replies, receipts } = TEMPLATE
const rule = replies.rules[0]

const problems = (template: unknown) =>
  problemsOf(() =>
    planOf({
      'carriers.json': { carriers: { south }, routes: [{ carriers: [{ name: 'south' }] }] },
      'south.json': template,
    }),
  )

describe('the template of an HTTP carrier', () => {
  it('is complained about by file, line, column and field, all at once', () => {
    const text = [
      '{',
      '  "request": { "method": "PUT", "json": { "to": ["{recipent}"] } },',
      '  "replies": { "rules": [{ "status": "20x", "outcome": "ok" }] }',
      '}',
    ]
    expect(problems(text.join('\n'))).toEqual([
      'south.json:2:26: request.method: expected GET or POST, got "PUT"',
      'south.json:2:50: request.json.to[0]: expected only the placeholders {url}, {user}, {secret}, {basic}, {sender}, {+sender}, {recipient}, {+recipient}, {content}, {ticket}, {encoding}, {receiptsUrl}, {validitySeconds}, {validityMinutes} and {validityMs}, got {recipent}',
      'south.json:3:25: replies.rules: expected a rule whose outcome is accepted, got none',
      'south.json:3:38: replies.rules[0].status: expected an HTTP status such as 201 or "2xx", got "20x"',
      'south.json:3:56: replies.rules[0].outcome: expected accepted, rejected, later, not_taken or uncertain, got "ok"',
    ])
  })

  it('is complained about once when two carriers use it', () => {
    const carriers = { a: south, b: south }
    const routes = [{ carriers: [{ name: 'a' }, { name: 'b' }] }]
    const files = { 'carriers.json': { carriers, routes }, 'south.json': '{ "request": {} ' }
    expect(problemsOf(() => planOf(files))).toEqual([
      'south.json:1:17: not JSON: expected a closing }, got the end of the file',
    ])
  })

  it.each([
    [{ replies }, 'expected what is sent for a message, got nothing'],
    [{ request }, 'expected what the replies mean, got nothing'],
    [{ ...TEMPLATE, replys: {} }, 'replys: expected replies (did you mean that?), got "replys"'],
    [
      { ...TEMPLATE, request: { json: {}, form: {} } },
      'request.form: expected either json or form, got both',
    ],
    [
      { ...TEMPLATE, request: { method: 'GET', form: {} } },
      'request.form: expected no body for GET, got form',
    ],
    [
      { ...TEMPLATE, request: { url: 'https://other/' } },
      'request.url: expected {url} once, at the beginning',
    ],
    [{ ...TEMPLATE, request: { url: '{url}?{url}' } }, 'request.url: expected {url} once, at the beginning'],
    [
      { ...TEMPLATE, request: { headers: { 'a b': '' } } },
      'request.headers.a b: expected the name of a header, got "a b"',
    ],
    [
      { ...TEMPLATE, request: { form: { to: 1 } } },
      'request.form.to: expected a text, which may hold placeholders such as {recipient}, got 1',
    ],
    [
      { ...TEMPLATE, request: { validitySeconds: { least: 9, most: 8 } } },
      'request.validitySeconds: expected least to be no more than most, got 9 and 8',
    ],
    [
      { ...TEMPLATE, replies: { format: 'text', rules: [rule] } },
      'replies.pattern: expected a regular expression with named groups, because the format is text, got nothing',
    ],
    [
      { ...TEMPLATE, replies: { format: 'text', pattern: '(', rules: [rule] } },
      'replies.pattern: expected a regular expression, got Invalid regular expression',
    ],
    [
      { request, replies: { rules: [{ outcome: 'accepted' }] } },
      'replies.rules[0]: expected ref, or a ticket in receipts, so that receipts find their message, got neither',
    ],
    [
      { ...TEMPLATE, replies: { rules: [{ ...rule, ref: 'a b' }] } },
      'replies.rules[0].ref: expected a path such as messages.0.status, got "a b"',
    ],
    [
      { ...TEMPLATE, receipts: { ...receipts, in: 'xml' } },
      'receipts.in: expected json, form or query, got "xml"',
    ],
    [
      { ...TEMPLATE, receipts: { ...receipts, ref: undefined } },
      'receipts: expected ref or ticket, so that receipts find their message, got neither',
    ],
    [
      { ...TEMPLATE, receipts: { ...receipts, verdicts: { ok: 'delivered' } } },
      'receipts.verdicts.ok: expected success, undelivered, expired, rejected or failed, got "delivered"',
    ],
    [
      { ...TEMPLATE, receipts: { ...receipts, progress: ['sent', 'ok'] } },
      'receipts.progress: expected words that are not among the verdicts, got ok',
    ],
    [
      { ...TEMPLATE, receipts: { ...receipts, answer: { status: 500 } } },
      'receipts.answer.status: expected a whole number from 200 to 299, got 500',
    ],
  ])('is refused: %j', (template, expected) => {
    expect(problems(template).join('\n')).toContain(expected)
  })
})
