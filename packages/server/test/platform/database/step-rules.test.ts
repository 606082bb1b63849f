import { readdirSync, readFileSync } from 'node:fs'
import { getTableName } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { tables } from '../../../src/store/schema/schema.ts'
import { faultsOf, GROWING } from './step-rules.ts'

const FOLDER = new URL('../../../migrations/', import.meta.url)
const FIRST = ['0001_schema.sql', '0002_people.sql'].map((name) => ({ name, text: '' }))
const WIDEN = '0003_widen_it.sql'
const NARROW = '0003_narrow_after_0002_it.sql'

/** The faults of a step that follows those of before the first release. */
const faultsIn = (name: string, text: string) => faultsOf([...FIRST, { name, text }])

describe('the steps of the schema', () => {
  it('keep the rules by which two versions work on one database', () => {
    const steps = readdirSync(FOLDER).map((name) => ({
      name,
      text: readFileSync(new URL(name, FOLDER), 'utf8'),
    }))
    expect(faultsOf(steps)).toEqual([])
  })

  it('know the tables that grow by their names', () => {
    expect(Object.values(tables).map(getTableName)).toEqual(expect.arrayContaining([...GROWING]))
  })
})

describe('the rules of steps', () => {
  it.each([
    [WIDEN, '-- Only marks the version with which colour was no longer used.'],
    [
      WIDEN,
      'CREATE TABLE tags (id TEXT PRIMARY KEY, n BIGINT NOT NULL);\nCREATE UNIQUE INDEX tags_n ON tags (n);',
    ],
    [WIDEN, 'CREATE TABLE tags (m TEXT REFERENCES messages (id) ON DELETE CASCADE) WITHOUT ROWID;'],
    [WIDEN, "ALTER TABLE messages ADD COLUMN colour TEXT NOT NULL DEFAULT 'red';"],
    [
      WIDEN,
      "ALTER TABLE accounts ADD COLUMN a TEXT DEFAULT 'x' CHECK (a IN ('x', 'y'));\nUPDATE accounts SET a = 'y';",
    ],
    [WIDEN, 'CREATE TABLE tags (id TEXT);\nINSERT INTO tags (id) SELECT id FROM accounts;'],
    [WIDEN, 'CREATE INDEX people_age ON people (created_at);'],
    ['0003_index_it.sql', 'CREATE INDEX messages_colour ON messages (colour) WHERE colour IS NOT NULL;'],
    [NARROW, 'ALTER TABLE messages DROP COLUMN colour;\nDROP INDEX messages_colour;\nDROP TABLE tags;'],
    [NARROW, 'DELETE FROM people;\nCREATE UNIQUE INDEX people_n ON people (n);'],
  ])('let %s with %s pass', (name, text) => {
    expect(faultsIn(name, text)).toEqual([])
  })

  it.each([
    [
      '0003_colour.sql',
      'expected NNNN_widen_WHAT.sql, NNNN_index_WHAT.sql or NNNN_narrow_after_NNNN_WHAT.sql',
    ],
    ['0004_widen_it.sql', 'expected the number 3, one more than before it'],
    ['0003_narrow_after_0003_it.sql', 'expected after_ to name the earlier step'],
    ['0003_narrow_after_0000_it.sql', 'expected after_ to name the earlier step'],
  ])('refuse the name %s', (name, fault) => {
    expect(faultsIn(name, '')).toEqual([expect.stringContaining(`${name}: ${fault}`)])
  })

  it.each([
    [WIDEN, 'DROP TABLE people', 'a widen step only adds'],
    [WIDEN, 'ALTER TABLE people DROP COLUMN email', 'a widen step only adds'],
    [WIDEN, 'ALTER TABLE people RENAME COLUMN email TO address', 'a widen step only adds'],
    [WIDEN, 'ALTER TABLE people ALTER COLUMN email SET NOT NULL', 'a widen step only adds'],
    [WIDEN, 'DELETE FROM people', 'a widen step only adds'],
    [WIDEN, 'CREATE TABLE tags AS SELECT id FROM messages', 'a widen step only adds'],
    [WIDEN, "INSERT INTO people (id) VALUES ('x')", 'a widen step only adds'],
    [WIDEN, 'ALTER TABLE people ADD COLUMN n BIGINT REFERENCES accounts (id)', 'a widen step only adds'],
    [WIDEN, 'ALTER TABLE people ADD COLUMN n BIGINT UNIQUE', 'a widen step only adds'],
    [
      WIDEN,
      'ALTER TABLE people ADD COLUMN n BIGINT NOT NULL',
      'older versions leave it out: expected a DEFAULT',
    ],
    [
      WIDEN,
      'ALTER TABLE people ADD COLUMN n BIGINT DEFAULT random()',
      'expected DEFAULT with a number or a text',
    ],
    [
      WIDEN,
      'ALTER TABLE people ADD COLUMN n BIGINT DEFAULT 0 CHECK (email <> id)',
      'a CHECK of another column',
    ],
    [WIDEN, 'ALTER TABLE outbox ADD COLUMN n BIGINT DEFAULT 0 CHECK (n > 0)', 'a CHECK reads the table'],
    [WIDEN, 'CREATE UNIQUE INDEX people_n ON people (n)', 'older versions may write what it refuses'],
    [WIDEN, 'CREATE INDEX messages_n ON messages (n)', 'an index step makes it'],
    [
      WIDEN,
      'CREATE TABLE tags (m TEXT REFERENCES messages (id))',
      'older versions could not delete rows of messages',
    ],
    [WIDEN, "UPDATE people SET email = 'x'", 'a widen step may fill what it added, and nothing else'],
    [
      '0003_index_it.sql',
      'CREATE UNIQUE INDEX people_n ON people (n)',
      'expected one CREATE INDEX, not unique',
    ],
    ['0003_index_it.sql', 'DROP INDEX people_n', 'expected one CREATE INDEX, not unique'],
    [NARROW, 'CREATE TABLE tags (id TEXT)', 'a narrow step drops, deletes, updates or makes a unique index'],
    [NARROW, 'ALTER TABLE people RENAME TO persons', 'a narrow step drops, deletes'],
    [NARROW, 'DELETE FROM messages', 'messages grows with every message'],
    [NARROW, 'CREATE UNIQUE INDEX ledger_n ON ledger (n)', 'ledger grows with every message'],
  ])('refuse %s with %s', (name, statement, fault) => {
    const faults = faultsIn(name, `-- Why.\n${statement.replace(' ', '\n  ')};\n`)
    expect(faults).toEqual([expect.stringMatching(new RegExp(`^${name}: ${fault}`))])
    expect(faults[0]).toContain(`: ${statement}`)
  })

  it('refuse to fill a table that grows, and to fill from one', () => {
    const added = 'ALTER TABLE messages ADD COLUMN n BIGINT DEFAULT 0;\nCREATE TABLE tags (id TEXT);\n'
    const fills = ['UPDATE messages SET n = 1', 'INSERT INTO tags (id) SELECT id FROM messages']
    expect(fills.flatMap((fill) => faultsIn(WIDEN, `${added}${fill};`))).toEqual(
      fills.map(
        (fill) => `${WIDEN}: messages grows with every message: fill it in slices, by the program: ${fill}`,
      ),
    )
  })

  it('refuse more than one index in a step', () => {
    const two = 'CREATE INDEX people_a ON people (a);\nCREATE INDEX people_b ON people (b);'
    expect(faultsIn('0003_index_it.sql', two)).toEqual(['0003_index_it.sql: expected one CREATE INDEX'])
  })
})
