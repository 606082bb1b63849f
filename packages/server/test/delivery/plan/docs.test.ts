import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { kindOf, nameOf } from '../../../../smpp/src/status.ts'
import { PLACEHOLDERS } from '../../../src/delivery/carriers/http/template.ts'
import { SMPP_FIELDS } from '../../../src/delivery/plan/carriers.ts'
import { readPlan } from '../../../src/delivery/plan/read-plan.ts'
import { planOf, TEMPLATE } from './plans.ts'

const root = join(import.meta.dirname, '../../../../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const pages = { guide: read('docs/carriers.md'), reference: read('docs/carriers-reference.md') }
const templates = { 'south.json': TEMPLATE, 'twilio.json': read('examples/carriers/twilio.json') }

function found(pattern: RegExp, page: string): string[] {
  return [...page.matchAll(pattern)].map(([, text = '']) => text)
}

describe('the pages about carriers', () => {
  it('show files that work', () => {
    const files = Object.values(pages).flatMap((page) => found(/```jsonc\n(.*?)```/gs, page))
    const plans = files.map((file) => planOf({ 'carriers.json': file, ...templates }))
    expect(plans.map(({ carriers }) => [...carriers.keys()])).toEqual([
      ['twilio'],
      ['north', 'south'],
      ['north', 'south'],
    ])
    expect(plans.flatMap(({ warnings }) => warnings)).toEqual([])
  })

  it('show settings of one carrier that work', () => {
    const settings = found(/WIGWAG_CARRIER='(smpp[^']+)'/g, pages.guide)
    const plans = settings.map((given) => readPlan(given, { environment: {}, folder: root }))
    expect(plans.map(({ carriers }) => [...carriers.keys()])).toEqual([
      ['127.0.0.1'],
      ['smpp.carrier.example'],
    ])
  })

  it('name every SMPP setting and every placeholder', () => {
    const page = pages.reference
    expect(SMPP_FIELDS.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
    expect(PLACEHOLDERS.filter((name) => !page.includes(`\`{${name}}\``))).toEqual([])
  })

  it('name status codes as the gateway does, and say what it does with them', () => {
    const codes = [...pages.reference.matchAll(/^\| `(0x[0-9a-f]{8})` \| (\w+) \|[^|]*\| ([^|]*) \|/gm)]
    expect(codes.length).toBeGreaterThan(15)
    const kinds = { rejected: 'rejected', 'not taken': 'not_taken', 'rests, later': 'later' }
    for (const [, code, name, does = ''] of codes) {
      expect(nameOf(Number(code))).toBe(`${name} (${code})`)
      if (does === 'stays away, tries again') continue
      expect(kinds, code).toHaveProperty([does], kindOf(Number(code), new Map()))
    }
  })
})
