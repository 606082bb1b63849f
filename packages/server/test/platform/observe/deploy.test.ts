import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { groups } from '../../../src/cli/commands.ts'
import { type Exposed, exposed } from '../../support/exposed.ts'
import { MESSAGE, openHarness } from '../../support/harness.ts'

/** Metrics that Prometheus itself adds for a target. */
const OF_PROMETHEUS = ['up']
const OPTIONAL_ENDING = /_(bucket|count|sum)$/

const read = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../../../../../${path}`, import.meta.url)), 'utf8')

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; description: string; runbook_url: string }
}
interface Case {
  alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[]
}
interface Panel {
  title: string
  targets?: { expr: string }[]
}

const alerts: { groups: { rules: Rule[] }[] } = parse(read('deploy/prometheus/alerts.yml'))
const cases: { tests: Case[] } = parse(read('deploy/prometheus/alerts.test.yml'))
const dashboard: { panels: Panel[] } = JSON.parse(read('deploy/grafana/wigwag.json'))
const rules = alerts.groups.flatMap((group) => group.rules)
const incidents = read('docs/operating/incidents.md')
const watching = read('docs/operating/watching.md')

let found: Exposed
beforeAll(async () => {
  const { metricsApp, sendSms, stop } = await openHarness({}, () => {})
  await sendSms(MESSAGE)
  found = exposed(await (await metricsApp.request('/metrics')).text())
  await stop()
})

/** The metrics that an expression is about: its words that are no label, function or text. */
function metricsOf(expression: string): string[] {
  const bare = expression
    .replace(/"[^"]*"/g, '')
    .replace(/\{[^}]*\}/g, '')
    .replace(/\b(by|on) \([^)]*\)/g, '')
  return bare.match(/\b(up|(wigwag|process|nodejs)_\w+)\b/g) ?? []
}

function isExposed(name: string): boolean {
  const known = [...OF_PROMETHEUS, ...found.families.keys()]
  return known.includes(name) || known.includes(name.replace(OPTIONAL_ENDING, ''))
}

function headingsOf(page: string): string[] {
  const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading)
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )
}

describe('alerts', () => {
  it.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s asks for metrics that are there',
    (_, { expr }) => {
      const names = metricsOf(expr)
      expect(names.length).toBeGreaterThan(0)
      for (const name of names) expect(isExposed(name), name).toBe(true)
    },
  )

  it.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s says what to do in a sentence, and links to where that is written in full',
    (_, { labels, annotations: { summary, description, runbook_url: link } }) => {
      expect(labels.severity).toMatch(/^(page|warn|info)$/)
      expect(summary).not.toMatch(/\.$/)
      expect(description).toMatch(/; .+\.$/)
      const [page, heading] = link.split('#')
      expect(page).toBe('https://github.com/wigwag/wigwag/blob/main/docs/operating/incidents.md')
      expect(headingsOf(incidents)).toContain(heading)
    },
  )

  it('have a case each that is quiet first and fires then', () => {
    const tested = cases.tests.map(({ alert_rule_test: [quiet, fires, ...more] }) => {
      expect(quiet?.exp_alerts).toBeUndefined()
      expect(fires?.exp_alerts).toHaveLength(1)
      expect([fires?.alertname, more]).toEqual([quiet?.alertname, []])
      return quiet?.alertname
    })
    expect(tested.sort()).toEqual(rules.map(({ alert }) => alert).sort())
  })
})

describe('the dashboard', () => {
  const panels = dashboard.panels.filter(({ targets }) => targets)

  it.each(panels.map(({ title, targets = [] }) => [title, targets] as const))(
    '%s asks for metrics that are there',
    (_, targets) => {
      const names = targets.flatMap(({ expr }) => metricsOf(expr))
      expect(names.length).toBeGreaterThanOrEqual(targets.length)
      for (const name of names) expect(isExposed(name), name).toBe(true)
    },
  )
})

describe('the pages for operators', () => {
  it('list every metric of the gateway, and say whether it is of the process or of the database', () => {
    const rows = [...watching.matchAll(/^\| `(wigwag_\w+)` \| (process|database) \|(.*)\|$/gm)]
    const listed = rows.map(([, name, of, labels = '']) => [name, of, labels.match(/\w+/g) ?? []])
    const there = [...found.families.values()]
      .filter(({ name }) => name.startsWith('wigwag_'))
      .map(({ name, help }) => [name, help.startsWith('This process') ? 'process' : 'database'])
    expect(listed.map(([name, of]) => [name, of]).sort()).toEqual(there.sort())
    for (const { name, labels } of found.samples) {
      const [, , known] = listed.find(([metric]) => metric === name) ?? []
      if (known) expect([name, Object.keys(labels)]).toEqual([name, known])
    }
  })

  it('name commands that exist', async () => {
    const commands = new Map<string, Command>()
    for (const { name, load } of groups.flatMap((group) => group.commands)) commands.set(name, await load())
    const named = [
      ...`${incidents}${watching}${read('deploy/prometheus/alerts.yml')}`.matchAll(
        /wigwag ([a-z]+)(?: ([a-z-]+))?(?: [^`#\n]*?(--\w+))?/g,
      ),
    ]
    const called = named.filter(([text]) => !/^wigwag (is|and|for)\b/.test(text))
    expect(called.length).toBeGreaterThan(10)
    for (const [text, name = '', second, flag] of called) {
      const command = commands.get(name)
      const within = command?.commands.find((one) => one.name() === second) ?? command
      expect(within, text).toBeDefined()
      if (command && command.commands.length > 0) expect(within?.name(), text).toBe(second)
      if (flag)
        expect(
          within?.options.map(({ long }) => long),
          text,
        ).toContain(flag)
    }
  })
})
