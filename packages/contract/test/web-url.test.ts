import { expect, it } from 'vitest'
import { isWebUrl, shownUrl } from '../src/web-url.ts'

it.each([
  'http://127.0.0.1:8080',
  'https://sms.example.com/base',
  'HTTP://EXAMPLE.com',
  'https://a.example/@x',
])('%s can be called', (text) => expect(isWebUrl(text)).toBe(true))

it.each([
  '',
  'sms.example.com',
  'ftp://a.example',
  'https://user@a.example',
  'https://:secret@a.example',
  'https://',
])('%j can not be called', (text) => expect(isWebUrl(text)).toBe(false))

it.each([
  ['https://user:secret@sms.example.com/x', 'https://…@sms.example.com/x'],
  ['https://user:sec@ret@sms.example.com', 'https://…@sms.example.com'],
  ['https://user:sec/ret@sms.example.com', 'https://…@sms.example.com'],
  ['https//user:secret@sms.example.com', '…@sms.example.com'],
  ['user:secret\n@sms.example.com', '…@sms.example.com'],
  ['postgres://user:secret@db/name', 'postgres://…@db/name'],
  ['https://sms.example.com', 'https://sms.example.com'],
  ['', ''],
])('%j is shown as %j', (text, shown) => expect(shownUrl(text)).toBe(shown))
