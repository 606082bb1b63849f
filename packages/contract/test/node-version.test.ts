import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nodeTooOld } from '../src/index.ts'

const packages = join(import.meta.dirname, '../..')

describe('the Node that a program needs', () => {
  it.each(['18.20.8', '20.20.2', '21.7.3', '22.0.0', '22.17.1'])('is newer than %s', (version) => {
    expect(nodeTooOld('wigwag', version)).toBe(
      `wigwag needs Node 22.18 or newer; this is Node ${version}. Install a newer one from nodejs.org`,
    )
  })

  it.each(['22.18.0', '22.20.0', '23.0.0', '24.1.0', '100.0.0'])('may be %s', (version) => {
    expect(nodeTooOld('wigwag', version)).toBeUndefined()
  })

  it.each(['server', 'mcp'])('is what the manifest of %s says', (name) => {
    const { engines } = JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'))
    const [, least = ''] = /^>=(\S+)$/.exec(engines.node) ?? []
    expect(nodeTooOld(name, `${least}.0`)).toBeUndefined()
    expect(nodeTooOld(name, '22.17.9')).toContain(`Node ${least} or newer`)
  })
})
